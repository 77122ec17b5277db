package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/hub/pkg/field"
	"example.com/hub/services/messagehub/internal/inbox"
)

var valueTests = []test{
	{"keep every byte of every text", testTexts},
	{"keep the longest texts", testLongest},
	{"keep times to the microsecond, of every year from 1 to 9999", testTimes},
	{"keep the order of actions, and none is an empty list", testActions},
}

// text draws strings that stores get wrong: quotes, escapes, several planes, combining and invisible
// characters, but never NUL, which the domain refuses.
func text(limit int) *rapid.Generator[string] {
	odd := rapid.SampledFrom([]rune("'\"\\%_:?$@<>&\t\n\r\u007f\u0085\u00e9\u0301\u200b\u2028\u202e\ufeff\uffff\U0001f600\U0010ffff"))
	char := rapid.OneOf(odd, rapid.Rune()).Filter(func(r rune) bool { return r != 0 })
	return rapid.Map(rapid.SliceOfN(char, 1, limit), func(list []rune) string { return string(list) })
}

func testTexts(t *testing.T, s inbox.Store) {
	var runs int
	rapid.Check(t, func(t *rapid.T) {
		// The runs share the store, so each has names of its own.
		runs++
		run := fmt.Sprint(runs, " ")
		p := inbox.PushParams{
			Stamp:           inbox.Stamp{ClientID: text(20).Draw(t, "app"), Now: at(1)},
			SourceMessageID: run + text(20).Draw(t, "id"),
			Targets:         []string{run + text(20).Draw(t, "username")},
			Message: inbox.Message{
				Title:    text(50).Draw(t, "title"),
				Content:  text(200).Draw(t, "content"),
				Category: text(20).Draw(t, "category"),
				Actions:  []inbox.Action{{Label: text(20).Draw(t, "label"), URL: text(20).Draw(t, "url")}},
			},
			OccurredAt: at(0),
		}
		want := inbox.Record{
			Username:        p.Targets[0],
			SourceAppID:     p.ClientID,
			SourceMessageID: p.SourceMessageID,
			Message:         p.Message,
			Status:          inbox.Unread,
			OccurredAt:      p.OccurredAt,
			CreateTime:      p.Now,
			ModifyTime:      p.Now,
			CreatorID:       p.ClientID,
			ModifierID:      p.ClientID,
		}
		created := push(t, s, p).Created
		if len(created) != 1 || created[0].Username != want.Username {
			t.Fatalf("created %+q, want a record of %+q", created, want.Username)
		}
		want.ID = created[0].ID
		equal(t, "record", only(t, s, want.Username), want)
		equal(t, "duplicates", push(t, s, p).Duplicates, 1)
		equal(t, "switched", markRead(t, s, p.SourceMessageID, want.Username, at(2)), 1)
		filtered := list(t, s, inbox.ListParams{SourceAppID: p.ClientID, SourceMessageID: p.SourceMessageID})
		equal(t, "total of the filters", filtered.Total, int64(1))
	})
}

func testLongest(t *testing.T, s inbox.Store) {
	// Four bytes a character, and nothing that compresses to less than a database's key limit.
	long := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteRune(rune(0x20000 + i*i*7919%0xa000))
		}
		return b.String()
	}
	p := message(long(field.MaxUsername), long(field.MaxID), long(field.MaxUsername))
	p.Title, p.Category = long(field.MaxTitle), long(field.MaxCategory)
	p.Content = long(field.MaxContentBytes / 4)
	for range inbox.MaxActions {
		p.Actions = append(p.Actions, inbox.Action{Label: long(field.MaxLabel), URL: long(field.MaxURL)})
	}
	push(t, s, p)
	got := only(t, s, p.Targets[0])
	equal(t, "texts", []string{got.SourceAppID, got.SourceMessageID, got.Title, got.Category, got.Content},
		[]string{p.ClientID, p.SourceMessageID, p.Title, p.Category, p.Content})
	equal(t, "actions", got.Actions, p.Actions)
	equal(t, "switched", markRead(t, s, p.SourceMessageID, p.Targets[0], at(2)), 1)
}

func testTimes(t *testing.T, s inbox.Store) {
	times := []time.Time{
		time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC),
		time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 2, 28, 23, 59, 59, 123_456_000, time.UTC),
		time.Date(2026, 2, 28, 23, 59, 59, 123_457_000, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC),
	}
	for i, occurred := range times {
		id, username := fmt.Sprint("m", i), fmt.Sprint("user", i)
		p := message("erp", id, username, "all")
		now, read := day.Add(time.Duration(i)*time.Microsecond), day.Add(time.Duration(i+1)*time.Microsecond)
		p.OccurredAt, p.Now = occurred, now
		push(t, s, p)
		markRead(t, s, id, username, read)
		got := only(t, s, username)
		if got.ReadAt == nil {
			t.Fatalf("record of %s: no read time", occurred)
		}
		equal(t, fmt.Sprint("times of ", occurred),
			[]time.Time{got.OccurredAt, got.CreateTime, got.ModifyTime, *got.ReadAt},
			[]time.Time{occurred, now, read, read})
	}
	var got []time.Time
	for _, r := range list(t, s, inbox.ListParams{Username: "all"}).Records {
		got = append(got, r.OccurredAt)
	}
	slices.Reverse(got)
	equal(t, "order", got, times)
}

func testActions(t *testing.T, s inbox.Store) {
	for i, actions := range [][]inbox.Action{
		nil,
		{},
		{{}},
		{{Label: "b", URL: "/2"}, {Label: "a", URL: "/1"}, {Label: "b", URL: "/2"}, {URL: "/0"}, {Label: "z"}},
	} {
		p := message("erp", fmt.Sprint("m", i), fmt.Sprint("user", i))
		p.Actions = actions
		push(t, s, p)
		// cmp.Diff tells a nil list from an empty one.
		equal(t, fmt.Sprintf("actions of %+v", actions), only(t, s, p.Targets[0]).Actions,
			append([]inbox.Action{}, actions...))
	}
}
