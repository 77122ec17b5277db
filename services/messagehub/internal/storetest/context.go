package storetest

import (
	"context"
	"errors"
	"testing"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/messagehub/internal/inbox"
)

var contextTests = []test{
	{"a deadline that has passed is Unavailable and changes nothing", testDeadline},
	{"a caller who is gone changes nothing", testCanceled},
	{"a store in use answers a ping", testPing},
}

// calls runs every method and gives the errors.
func calls(ctx context.Context, s inbox.Store) map[string]error {
	_, pushErr := s.Push(ctx, message("erp", "new", "ann"))
	_, listErr := s.List(ctx, inbox.ListParams{Page: page(0, 20), Sort: inbox.DefaultSort})
	_, walkErr := s.Walk(ctx, inbox.WalkParams{ListParams: inbox.ListParams{Page: page(0, 20), Sort: inbox.DefaultSort}})
	_, countErr := s.CountUnread(ctx, inbox.CountUnreadParams{Username: "ann"})
	_, newestErr := s.NewestID(ctx, inbox.NewestIDParams{Username: "ann"})
	_, readErr := s.MarkRead(ctx, inbox.MarkReadParams{Stamp: stamp("erp", 2), SourceMessageID: "m1", Username: "ann"})
	return map[string]error{
		"Push": pushErr, "List": listErr, "Walk": walkErr, "CountUnread": countErr, "NewestID": newestErr, "MarkRead": readErr,
		"Ping": s.Ping(ctx),
	}
}

func testDeadline(t *testing.T, s inbox.Store) {
	push(t, s, message("erp", "m1", "ann"))
	before := list(t, s, inbox.ListParams{})
	ctx, cancel := context.WithDeadline(t.Context(), day.AddDate(-1, 0, 0))
	defer cancel()
	for name, err := range calls(ctx, s) {
		if kind := fault.KindOf(err); err == nil || kind != fault.Unavailable {
			t.Errorf("%s: error %v of kind %d, want a fault of kind %d", name, err, kind, fault.Unavailable)
		}
	}
	equal(t, "records", list(t, s, inbox.ListParams{}), before)
}

func testCanceled(t *testing.T, s inbox.Store) {
	push(t, s, message("erp", "m1", "ann"))
	before := list(t, s, inbox.ListParams{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, err := range calls(ctx, s) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want that it was canceled", name, err)
		}
	}
	equal(t, "records", list(t, s, inbox.ListParams{}), before)
}

func testPing(t *testing.T, s inbox.Store) {
	for range 2 {
		if err := s.Ping(t.Context()); err != nil {
			t.Fatalf("ping: %v", err)
		}
		push(t, s, message("erp", "m1", "ann"))
	}
}
