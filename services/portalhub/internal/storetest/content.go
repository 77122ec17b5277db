package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/internal/content"
)

var channelCases = []testCase{
	{"Channel/create keeps every value byte by byte", testChannelValues},
	{"Channel/create stops at the most, and a repeat is none", testChannelMost},
	{"Channel/create stops at the most, however many come at once", testChannelsAtOnce},
	{"Channel/update replaces what is said, and enabled where it is said", testChannelUpdate},
	{"Channel/enable changes only what is otherwise", testChannelEnable},
	{"Channel/update and enable miss what is not there", testChannelUnknown},
	{"Channel/list orders by sort, name and id, and leaves out what is disabled", testChannelList},
}

func newChannel(id string, millis int) content.CreateChannelParams {
	return content.CreateChannelParams{
		Stamp: content.Stamp{By: "user:carla", Now: at(millis)}, ID: id, Enabled: true, Most: 100,
		ChannelSettings: content.ChannelSettings{Name: "Name of " + id, Type: content.News},
	}
}

// createChannel wants the channel to be created, and gives it.
func createChannel(t testing.TB, s portalhub.Store, p content.CreateChannelParams) content.Channel {
	t.Helper()
	if created, err := s.CreateChannel(t.Context(), p); err != nil || !created {
		t.Fatalf("%s: created %v, %v", p.ID, created, err)
	}
	return content.Channel{
		ID: p.ID, ChannelSettings: p.ChannelSettings, Enabled: p.Enabled,
		CreateTime: p.Now, ModifyTime: p.Now, CreatorID: p.By, ModifierID: p.By,
	}
}

func wantChannels(t *testing.T, s portalhub.Store, p content.ListChannelsParams, want ...content.Channel) {
	t.Helper()
	got, err := s.ListChannels(t.Context(), p)
	same(t, want, got, err)
}

// same compares what a store answered.
func same[T any](t *testing.T, want, got T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("it differs (-want +got):\n%s", diff)
	}
}

func testChannelValues(t *testing.T, s portalhub.Store) {
	var want []content.Channel
	for i, visible := range [][]string{nil, {"user:ä €\U0001f600"}, {`role:a,"b"`, `role:{c}`, `role:\`, "dept:NULL", "dept: "}} {
		p := newChannel(fmt.Sprint("é ", i), i)
		p.ChannelSettings = content.ChannelSettings{Name: "Ann's \U0001f600 \\ \"news\" ", Type: content.Notice, Sort: int64(i) * 500_000, VisibleFor: visible}
		p.Enabled = i == 1
		want = append(want, createChannel(t, s, p))
	}
	wantChannels(t, s, content.ListChannelsParams{}, want...)
}

func testChannelMost(t *testing.T, s portalhub.Store) {
	var want []content.Channel
	for i := range 3 {
		p := newChannel(fmt.Sprint(i), i)
		p.Most = 3
		want = append(want, createChannel(t, s, p))
		createChannel(t, s, p)
	}
	p := newChannel("3", 3)
	p.Most = 3
	if created, err := s.CreateChannel(t.Context(), p); created || err != nil {
		t.Errorf("created %v, %v", created, err)
	}
	wantChannels(t, s, content.ListChannelsParams{}, want...)
}

func testChannelsAtOnce(t *testing.T, s portalhub.Store) {
	wantMost(t, func(i, most int) (bool, error) {
		p := newChannel(fmt.Sprint(i), i)
		p.Most = most
		return s.CreateChannel(t.Context(), p)
	})
}

// wantMost has many records created at once, of which there may be fewer.
func wantMost(t *testing.T, create func(i, most int) (bool, error)) {
	t.Helper()
	const many, most = 12, 3
	var created atomic.Int64
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			if ok, err := create(i, most); err != nil {
				t.Error(err)
			} else if ok {
				created.Add(1)
			}
		})
	}
	all.Wait()
	if n := created.Load(); n != most {
		t.Errorf("%d are created, want %d", n, most)
	}
}

func testChannelUpdate(t *testing.T, s portalhub.Store) {
	want, other := createChannel(t, s, newChannel("a", 10)), createChannel(t, s, newChannel("b", 0))
	no, yes := false, true
	for i, tt := range []struct {
		set  *bool
		want bool
	}{{nil, true}, {&no, false}, {nil, false}, {&yes, true}} {
		p := content.UpdateChannelParams{
			Stamp: content.Stamp{By: fmt.Sprint("user:", i), Now: at(5 * i)}, ID: "a", Enabled: tt.set,
			ChannelSettings: content.ChannelSettings{Name: fmt.Sprint("new ", i), Type: content.Type(1 + i%2), Sort: -7, VisibleFor: []string{"role:x"}[i%2:]},
		}
		want.ChannelSettings, want.Enabled, want.ModifierID = p.ChannelSettings, tt.want, p.By
		want.ModifyTime = at(max(10, 5*i)) // times do not go back
		got, err := s.UpdateChannel(t.Context(), p)
		same(t, want, got, err)
		wantChannels(t, s, content.ListChannelsParams{}, want, other)
	}
}

func testChannelEnable(t *testing.T, s portalhub.Store) {
	want := createChannel(t, s, newChannel("a", 0))
	for i, enabled := range []bool{true, false, false, true, true} {
		p := content.EnableChannelParams{Stamp: content.Stamp{By: fmt.Sprint("user:", i), Now: at(10 + i)}, ID: "a", Enabled: enabled}
		if want.Enabled != enabled {
			want.Enabled, want.ModifierID, want.ModifyTime = enabled, p.By, p.Now
		}
		got, err := s.EnableChannel(t.Context(), p)
		same(t, want, got, err)
	}
}

func testChannelUnknown(t *testing.T, s portalhub.Store) {
	createChannel(t, s, newChannel("a", 0))
	for _, id := range []string{"", "A", "a ", "b", "%"} {
		_, updated := s.UpdateChannel(t.Context(), content.UpdateChannelParams{ID: id, Stamp: content.Stamp{Now: at(1)}})
		_, enabled := s.EnableChannel(t.Context(), content.EnableChannelParams{ID: id, Stamp: content.Stamp{Now: at(1)}})
		for _, err := range []error{updated, enabled} {
			if err == nil || fault.KindOf(err) != fault.NotFound {
				t.Errorf("%q: %v", id, err)
			}
		}
	}
}

func testChannelList(t *testing.T, s portalhub.Store) {
	wantChannels(t, s, content.ListChannelsParams{})
	var all, enabled []content.Channel
	for i, place := range []struct {
		id, name string
		sort     int64
	}{{"a", "z", -5}, {"b", "", 1}, {"c1", "B", 1}, {"c2", "B", 1}, {"d", "b", 1}, {"e", "é", 1}, {"f", "a", 2}} {
		p := newChannel(place.id, i)
		p.Name, p.Sort, p.Enabled = place.name, place.sort, i%3 > 0
		all = append(all, createChannel(t, s, p))
		if p.Enabled {
			enabled = append(enabled, all[i])
		}
	}
	wantChannels(t, s, content.ListChannelsParams{}, all...)
	wantChannels(t, s, content.ListChannelsParams{Enabled: true}, enabled...)
}

// newArticle is a draft in the channel a.
func newArticle(id string, millis int) content.CreateArticleParams {
	return content.CreateArticleParams{
		Stamp: content.Stamp{By: "user:carla", Now: at(millis)}, ID: id, Policy: 1,
		Text: content.Text{ChannelID: "a", Title: "Title of " + id, HTML: "<p>" + id + "</p>"},
	}
}

// createArticle wants the article to be created, and gives it.
func createArticle(t testing.TB, s portalhub.Store, p content.CreateArticleParams) content.Article {
	t.Helper()
	if created, err := s.CreateArticle(t.Context(), p); err != nil || !created {
		t.Fatalf("%s: created %v, %v", p.ID, created, err)
	}
	return content.Article{
		ID: p.ID, Text: p.Text, Version: 1, Status: content.Draft, Policy: p.Policy,
		CreateTime: p.Now, ModifyTime: p.Now, CreatorID: p.By, ModifierID: p.By,
	}
}

func wantArticle(t *testing.T, s portalhub.Store, want content.Article) {
	t.Helper()
	got, err := s.GetArticle(t.Context(), content.GetParams{ID: want.ID})
	same(t, want, got, err)
}

func moment(millis int) *time.Time {
	t := at(millis)
	return &t
}
