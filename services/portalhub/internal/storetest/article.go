package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/internal/content"
)

var articleCases = []testCase{
	{"Article/create keeps every value byte by byte", testArticleValues},
	{"Article/create needs a channel, and a repeat is none", testArticleCreate},
	{"Article/update replaces the text and counts", testArticleUpdate},
	{"Article/update of another version, or for a channel that is not there, changes nothing", testArticleStale},
	{"Article/one of many updates of a version counts", testArticleRace},
	{"Article/an update keeps the time of a published article", testArticleOccurred},
	{"Article/every change of status", testArticleStates},
	{"Article/pin and unpin change only what is otherwise", testArticlePin},
	{"Article/calls miss what is not there", testArticleUnknown},
	{"Article/times do not go back", testArticleTimes},
	{"Article/those of older policies are replaced unless they changed", testArticlePolicy},
}

func testArticleValues(t *testing.T, s portalhub.Store) {
	createChannel(t, s, newChannel("a", 0))
	p := newArticle("é 1", 1)
	p.Text = content.Text{
		ChannelID: "a", Title: "Ann's \U0001f600 \\ \"title\"", Summary: " two\nlines\t", CoverImageURL: "/files/0123456789abcdef0123456789abcdef",
		HTML: "<p>\u2028&lt;ä</p>" + strings.Repeat("x", content.MaxHTML), JSON: `{"a": [1.0, "\u0000 'x'"]}` + strings.Repeat(" ", content.MaxJSON), OccurredAt: moment(-5),
	}
	p.Policy = 7
	wantArticle(t, s, createArticle(t, s, p))
	wantArticle(t, s, createArticle(t, s, newArticle("b", 2)))
}

func testArticleCreate(t *testing.T, s portalhub.Store) {
	p := newArticle("x", 0)
	if created, err := s.CreateArticle(t.Context(), p); err != nil || created {
		t.Errorf("without a channel: created %v, %v", created, err)
	}
	createChannel(t, s, newChannel("a", 0))
	want := createArticle(t, s, p)
	createArticle(t, s, p)
	wantArticle(t, s, want)
}

// change are an update by somebody else.
func change(a content.Article, millis int) content.UpdateArticleParams {
	return content.UpdateArticleParams{Stamp: content.Stamp{By: "user:ben", Now: at(millis)}, ID: a.ID, Text: a.Text, Policy: a.Policy}
}

func testArticleUpdate(t *testing.T, s portalhub.Store) {
	createChannel(t, s, newChannel("a", 0))
	createChannel(t, s, newChannel("b", 0))
	want, other := createArticle(t, s, newArticle("x", 0)), createArticle(t, s, newArticle("y", 0))
	for i, text := range []content.Text{
		{ChannelID: "b", Title: "t", Summary: "s", CoverImageURL: "/files/x", HTML: "<p>2</p>", JSON: "{}", OccurredAt: moment(3)},
		{ChannelID: "a", Title: "bare"},
	} {
		p := change(want, 5+i)
		p.Text, p.Policy = text, int64(2+i)
		if i == 0 {
			p.Version = new(int64(1))
		}
		want.Text, want.Policy, want.ModifierID, want.ModifyTime, want.Version = text, p.Policy, p.By, p.Now, int64(2+i)
		got, updated, err := s.UpdateArticle(t.Context(), p)
		if same(t, want, got, err); !updated {
			t.Error("nothing was updated")
		}
		wantArticle(t, s, want)
	}
	wantArticle(t, s, other)
}

func testArticleStale(t *testing.T, s portalhub.Store) {
	createChannel(t, s, newChannel("a", 0))
	want := createArticle(t, s, newArticle("x", 0))
	for _, version := range []int64{2, 0, -1, 1 << 60} {
		p := change(want, 5)
		p.Title, p.Version = "changed", &version
		got, updated, err := s.UpdateArticle(t.Context(), p)
		if same(t, want, got, err); updated {
			t.Errorf("version %d was updated", version)
		}
	}
	p := change(want, 5)
	p.ChannelID, p.Version = "b", &want.Version
	got, updated, err := s.UpdateArticle(t.Context(), p)
	if same(t, want, got, err); updated {
		t.Error("it is in a channel that is not there")
	}
	wantArticle(t, s, want)
}

func testArticleRace(t *testing.T, s portalhub.Store) {
	createChannel(t, s, newChannel("a", 0))
	a := createArticle(t, s, newArticle("x", 0))
	won := make([]bool, 8)
	var g errgroup.Group
	for i := range won {
		g.Go(func() (err error) {
			p := change(a, i)
			p.Title, p.Version = fmt.Sprint(i), &a.Version
			_, won[i], err = s.UpdateArticle(t.Context(), p)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	winner := slices.Index(won, true)
	got, err := s.GetArticle(t.Context(), content.GetParams{ID: "x"})
	if err != nil || winner < 0 || slices.Contains(won[winner+1:], true) || got.Title != fmt.Sprint(winner) || got.Version != 2 {
		t.Errorf("won %v, and it is %+v, %v", won, got, err)
	}
}

func testArticleOccurred(t *testing.T, s portalhub.Store) {
	createChannel(t, s, newChannel("a", 0))
	a := createArticle(t, s, newArticle("x", 0))
	if _, err := s.PublishArticle(t.Context(), changeOf("x", 1, 7)); err != nil {
		t.Fatal(err)
	}
	for _, set := range []struct{ to, want int }{{-50, -50}, {0, 7}, {90, 90}, {0, 7}} {
		p := change(a, 9)
		if p.OccurredAt = nil; set.to != 0 {
			p.OccurredAt = moment(set.to)
		}
		got, updated, err := s.UpdateArticle(t.Context(), p)
		if err != nil || !updated || !got.OccurredAt.Equal(at(set.want)) {
			t.Errorf("%+v: it is %v, %v, %v", set, got.OccurredAt, updated, err)
		}
	}
}

func changeOf(id string, who, millis int) content.ChangeParams {
	return content.ChangeParams{Stamp: content.Stamp{By: fmt.Sprint("user:", who), Now: at(millis)}, ID: id}
}

// testArticleStates goes through every row of the table of states, with what is as asked already.
func testArticleStates(t *testing.T, s portalhub.Store) {
	createChannel(t, s, newChannel("a", 0))
	want := createArticle(t, s, newArticle("x", 0))
	for i, step := range []struct {
		publish bool
		status  content.Status
	}{
		{false, content.Draft},
		{true, content.Published},
		{true, content.Published},
		{false, content.Offline},
		{false, content.Offline},
		{true, content.Published},
		{false, content.Offline},
	} {
		p, change := changeOf("x", i, 10+i), s.UnpublishArticle
		if step.publish {
			change = s.PublishArticle
		}
		if want.Status != step.status {
			want.Status, want.ModifierID, want.ModifyTime = step.status, p.By, p.Now
			want.Version++
		}
		if want.PublishedAt == nil && step.publish {
			want.PublishedAt, want.OccurredAt = &p.Now, &p.Now
		}
		got, err := change(t.Context(), p)
		same(t, want, got, err)
		wantArticle(t, s, want)
	}
	early := newArticle("y", 0)
	early.OccurredAt = moment(-100)
	want = createArticle(t, s, early)
	got, err := s.PublishArticle(t.Context(), changeOf("y", 1, 20))
	if err != nil || !got.OccurredAt.Equal(at(-100)) || !got.PublishedAt.Equal(at(20)) || want.PublishedAt != nil {
		t.Errorf("it is %+v, %v", got, err)
	}
}

func testArticlePin(t *testing.T, s portalhub.Store) {
	createChannel(t, s, newChannel("a", 0))
	want := createArticle(t, s, newArticle("x", 0))
	for i, pinned := range []bool{false, true, true, false, false, true} {
		p := content.PinParams{ChangeParams: changeOf("x", i, 10+i), Pinned: pinned}
		if pinned != (want.PinnedAt != nil) {
			want.ModifierID, want.ModifyTime = p.By, p.Now
			want.Version++
			if want.PinnedAt = nil; pinned {
				want.PinnedAt = &p.Now
			}
		}
		got, err := s.PinArticle(t.Context(), p)
		same(t, want, got, err)
		wantArticle(t, s, want)
	}
}

func testArticleUnknown(t *testing.T, s portalhub.Store) {
	createChannel(t, s, newChannel("a", 0))
	a := createArticle(t, s, newArticle("x", 0))
	for _, id := range []string{"", "X", "x ", "y", "%"} {
		a.ID = id
		_, got := s.GetArticle(t.Context(), content.GetParams{ID: id})
		_, _, updated := s.UpdateArticle(t.Context(), change(a, 1))
		_, published := s.PublishArticle(t.Context(), changeOf(id, 1, 1))
		_, unpublished := s.UnpublishArticle(t.Context(), changeOf(id, 1, 1))
		_, pinned := s.PinArticle(t.Context(), content.PinParams{ChangeParams: changeOf(id, 1, 1), Pinned: true})
		for i, err := range []error{got, updated, published, unpublished, pinned} {
			if err == nil || fault.KindOf(err) != fault.NotFound {
				t.Errorf("%q, call %d: %v", id, i, err)
			}
		}
	}
}

func testArticleTimes(t *testing.T, s portalhub.Store) {
	createChannel(t, s, newChannel("a", 0))
	a := createArticle(t, s, newArticle("x", 10))
	got, _, err := s.UpdateArticle(t.Context(), change(a, 5))
	if err != nil || !got.ModifyTime.Equal(at(10)) {
		t.Errorf("it is of %v, %v", got.ModifyTime, err)
	}
	if got, err = s.PublishArticle(t.Context(), changeOf("x", 1, 6)); err != nil || !got.ModifyTime.Equal(at(10)) || !got.PublishedAt.Equal(at(6)) {
		t.Errorf("it is %+v, %v", got, err)
	}
}

func testArticlePolicy(t *testing.T, s portalhub.Store) {
	createChannel(t, s, newChannel("a", 0))
	want := map[string]content.Article{}
	for i, id := range []string{"c", "b", "a", "d"} {
		p := newArticle(id, i)
		p.Policy = int64(1 + i)
		want[id] = createArticle(t, s, p)
	}
	found, err := s.ListOutdated(t.Context(), 4, 2)
	same(t, []content.Article{want["c"], want["b"]}, found, err)
	found, err = s.ListOutdated(t.Context(), 4, 10)
	same(t, []content.Article{want["c"], want["b"], want["a"]}, found, err)
	for id, p := range map[string]content.ReplaceParams{
		"c": {Version: 1, HTML: "<p>new</p>", Policy: 4},
		"b": {Version: 2, HTML: "<p>of another version</p>", Policy: 4},
		"d": {Version: 1, HTML: "<p>of the same policy</p>", Policy: 4},
		"x": {Version: 1, HTML: "<p>of none</p>", Policy: 4},
	} {
		p.ID = id
		if err := s.ReplaceHTML(t.Context(), p); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	c := want["c"]
	c.HTML, c.Policy = "<p>new</p>", 4
	for _, a := range []content.Article{c, want["b"], want["a"], want["d"]} {
		wantArticle(t, s, a)
	}
}
