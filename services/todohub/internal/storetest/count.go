package storetest

import (
	"context"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/hub/services/todohub/internal/todo"
)

// testCount has items that are due before, at and after the time of the count, or never.
func testCount(t *testing.T, s todo.Store) {
	dues := []*time.Time{nil}
	for _, micros := range []time.Duration{-3600e6, -1, 0, 1} {
		due := start.Add(micros * time.Microsecond)
		dues = append(dues, &due)
	}
	at := 0
	for n, user := range []string{"ann", "Ann", "bob", "bob"} {
		for _, typ := range []todo.Type{todo.Handle, todo.Review} {
			for _, due := range dues {
				for _, status := range []todo.Status{todo.Open, todo.Open, todo.Cleared, todo.Invalid} {
					at++
					r := report(name("id", at))
					r.AssigneeUsername, r.Type, r.DueAt = user, typ, due
					upsert(t, s, stamp("erp", at), r)
					switch {
					case status == todo.Cleared && n != 2:
						clearItem(t, s, stamp("erp", at), r.ID)
					case status == todo.Invalid:
						invalidateItem(t, s, stamp("erp", at), r.ID)
					}
				}
			}
		}
	}
	all := todo.CountParams{ToHandle: true, ToRead: true, Overdue: true, Done: true, Read: true, Now: start}
	for user, want := range map[string]todo.Counts{
		"ann":    {ToHandle: count(10), ToRead: count(10), Overdue: count(4), Done: count(5), Read: count(5)},
		"bob":    {ToHandle: count(25), ToRead: count(25), Overdue: count(10), Done: count(5), Read: count(5)},
		"nobody": {ToHandle: count(0), ToRead: count(0), Overdue: count(0), Done: count(0), Read: count(0)},
	} {
		all.AssigneeUsername = user
		wantCounts(t, s, all, want)
	}
	ann := todo.CountParams{AssigneeUsername: "ann", Now: start.Add(time.Microsecond)}
	wantCounts(t, s, ann, todo.Counts{})
	ann.Overdue = true
	wantCounts(t, s, ann, todo.Counts{Overdue: count(6)})
	ann.Overdue, ann.ToRead, ann.Done = false, true, true
	wantCounts(t, s, ann, todo.Counts{ToRead: count(10), Done: count(5)})
}

func count(n int64) *int64 { return &n }

func wantCounts(t *testing.T, s todo.Store, p todo.CountParams, want todo.Counts) {
	t.Helper()
	got, err := s.Count(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("count %+v (-want +got):\n%s", p, diff)
	}
}

// testRaceCount counts while items become done.
func testRaceCount(t *testing.T, s todo.Store) {
	const items = 100
	for n := range items {
		upsert(t, s, stamp("erp", 0), report(name("id", n)))
	}
	race(t, 2, func(ctx context.Context, i int) error {
		for n := range items {
			if i == 0 {
				if _, err := s.Clear(ctx, clearing(stamp("erp", n), name("id", n))); err != nil {
					return err
				}
				continue
			}
			c, err := s.Count(ctx, todo.CountParams{AssigneeUsername: "ann", ToHandle: true, Done: true, Now: start})
			if err != nil {
				return err
			}
			if *c.ToHandle+*c.Done != items {
				t.Errorf("%d to handle and %d done, want %d together", *c.ToHandle, *c.Done, items)
			}
		}
		return nil
	})
}
