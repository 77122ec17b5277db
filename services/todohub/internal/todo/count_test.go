package todo_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/todohub/internal/todo"
)

func TestCountNamesFirstFaultInOrder(t *testing.T) {
	s := newService(t, newStore(t), defaultRules)
	r := todo.CountRequest{Lists: make([]todo.UserList, todo.MaxUserLists+1)}
	for _, step := range []repair{
		{"username", "username must not be empty", func() { r.Username = "ann" }},
		{"lists", "lists must have at most 5 entries", func() { r.Lists = nil }},
		{"lists", "lists must not be empty", func() { r.Lists = []todo.UserList{todo.Read, 0} }},
		{"lists[1]", "lists[1] must be a list", func() { r.Lists[1] = todo.Read + 1 }},
		{"lists[1]", "lists[1] must be a list", func() { r.Lists[1] = todo.Read }},
	} {
		_, err := s.Count(t.Context(), r)
		wantInvalid(t, err, step.field, step.public)
		step.fix()
	}
	counts, err := s.Count(t.Context(), r)
	if diff := cmp.Diff(todo.Counts{Read: new(int64)}, counts); diff != "" || err != nil {
		t.Errorf("a list that is named twice: %v\n%s", err, diff)
	}
}

// TestOverdueIsByTheClockOfTheHub has an item that was due a microsecond ago, one that is due now, and one
// whose time would come by another clock.
func TestOverdueIsByTheClockOfTheHub(t *testing.T) {
	s := newService(t, newStore(t), defaultRules)
	for id, due := range map[string]time.Time{
		"a": nowMicro.Add(-time.Microsecond), "b": nowMicro, "c": nowMicro.Add(time.Second), "d": time.Now().Add(time.Hour),
	} {
		r := report(id)
		r.DueAt = &due
		if _, err := s.Upsert(t.Context(), "erp", r); err != nil {
			t.Fatal(err)
		}
	}
	counts, err := s.Count(t.Context(), todo.CountRequest{Username: "ann", Lists: []todo.UserList{todo.Overdue, todo.ToHandle}})
	want := todo.Counts{ToHandle: new(int64), Overdue: new(int64)}
	*want.ToHandle, *want.Overdue = 4, 1
	if diff := cmp.Diff(want, counts); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}
