package todo_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/bus/bustest"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/reconcile"
	"example.com/hub/services/todohub/internal/todo"
)

func TestReconcileNamesFirstFaultInOrder(t *testing.T) {
	s := newService(t, nil, defaultRules)
	late, early := now.Add(time.Second), now.Add(-24*time.Hour-time.Second)
	to, blank, zero, beyond := "b", " ", int64(0), int64(10_001)
	r := todo.ReconcileRequest{
		Range: reconcile.Range{From: "c", To: &to, MaxClose: &zero}, Open: []todo.OpenItem{{}, {ID: "e", SourceVersion: &zero}}, Result: &blank,
	}
	const action = "action must be clear or invalidate"
	for _, step := range []repair{
		{"as_of", "as of must not be empty", func() { r.AsOf = &late }},
		{"as_of", "as of must not be in the future", func() { r.AsOf = &early }},
		{"as_of", "as of must not be older than 24 hours", func() { r.AsOf = &nowMicro }},
		{"to", "to must not be before from", func() { to = "d" }},
		{"open[0].todo_id", "open[0].todo id must not be empty", func() { r.Open[0].ID = "d\x00" }},
		{"open[0].todo_id", "open[0].todo id must not contain NUL", func() { r.Open[0].ID = "c" }},
		{"open[0].todo_id", "open[0].todo id must be behind from and behind the id before it", func() { r.Open[0].ID = "d" }},
		{"open[1].todo_id", "open[1].todo id must not be behind to", func() { r.To = nil }},
		{"action", action, func() { r.Action = todo.Open }},
		{"action", action, func() { r.Action = todo.Cleared }},
		{"result", "result must not be empty", func() { r.Result = nil }},
		{"max_close", "max close must be an integer from 1 to 10000", func() { r.MaxClose = &beyond }},
		{"max_close", "max close must be an integer from 1 to 10000", nil},
	} {
		_, err := s.Reconcile(t.Context(), "erp", r)
		wantInvalid(t, err, step.field, step.public)
		if step.fix != nil {
			step.fix()
		}
	}
	r = todo.ReconcileRequest{Range: reconcile.Range{AsOf: &nowMicro}, Action: todo.Cleared, Open: make([]todo.OpenItem, 20_001)}
	_, err := s.Reconcile(t.Context(), "erp", r)
	wantInvalid(t, err, "open", "open must have at most 20000 entries")
	r.Open, r.From = nil, strings.Repeat("a", 256)
	_, err = s.Reconcile(t.Context(), "erp", r)
	wantInvalid(t, err, "from", "from must be at most 255 characters")
}

// TestReconcileOfTooMuchClosesNothing has 101 items, which is one more than the default allows.
func TestReconcileOfTooMuchClosesNothing(t *testing.T) {
	store, clock := newStore(t), now
	s := todo.New(todo.Deps{Store: store, Publisher: &bustest.Recorder{}, Rules: defaultRules, Clock: func() time.Time { return clock }})
	for n := range 101 {
		upsert(t, s, "erp", fmt.Sprintf("%03d", n))
	}
	clock = now.Add(2 * time.Second)
	asOf := clock.Truncate(time.Second)
	r := todo.ReconcileRequest{Range: reconcile.Range{AsOf: &asOf}, Action: todo.Invalid}
	for _, dry := range []bool{false, true} {
		r.DryRun = dry
		_, err := s.Reconcile(t.Context(), "erp", r)
		wantFault(t, err, fault.Conflict, "more than 100 todos would be closed")
	}
	more := int64(201)
	r.MaxClose = &more
	for i, want := range []int64{101, 101, 0} {
		r.DryRun = i == 0
		got, err := s.Reconcile(t.Context(), "erp", r)
		if err != nil || got.Closed != want || len(got.IDs) != int(want) {
			t.Errorf("call %d closed %d, %v; want %d", i, got.Closed, err, want)
		}
	}
	item, err := store.Get(t.Context(), todo.GetParams{ID: "000"})
	if err != nil || item.Status != todo.Invalid || item.Reason != "reconciled" {
		t.Errorf("%+v, %v", item, err)
	}
}
