package inbox_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
	"example.com/hub/services/messagehub/internal/inbox"
)

// now has digits below the microsecond, and a zone, for the service to cut.
var now = time.Date(2026, 3, 1, 10, 0, 0, 123_456_789, time.FixedZone("", 2*60*60))

var cut = time.Date(2026, 3, 1, 8, 0, 0, 123_456_000, time.UTC)

func TestPushHandsTheStoreSortedTargetsAndCutTimes(t *testing.T) {
	h := newHarness(t)
	occurred := time.Date(2026, 1, 1, 3, 0, 0, 1_999, time.FixedZone("", 3*60*60))
	r := inbox.PushRequest{
		SourceMessageID: "m1",
		TargetUsernames: []string{"zoe", "ann", "Zoe", "\u00e4", "zoe", "ann", "b"},
		Message: inbox.Message{
			Title: "title", Content: "content", Category: "notice", Actions: []inbox.Action{{Label: "open", URL: "/1"}},
		},
		OccurredAt: &occurred,
	}
	if _, err := h.service.Push(t.Context(), "erp", r); err != nil {
		t.Fatal(err)
	}
	equal(t, "params", *h.store.pushed, inbox.PushParams{
		Stamp:           inbox.Stamp{ClientID: "erp", Now: cut},
		SourceMessageID: "m1",
		Targets:         []string{"Zoe", "ann", "b", "zoe", "\u00e4"},
		Message:         r.Message,
		OccurredAt:      time.Date(2026, 1, 1, 0, 0, 0, 1_000, time.UTC),
	})
	equal(t, "the caller's targets", r.TargetUsernames, []string{"zoe", "ann", "Zoe", "\u00e4", "zoe", "ann", "b"})
}

func TestPushOccurredNowByDefault(t *testing.T) {
	h := newHarness(t)
	if _, err := h.service.Push(t.Context(), "erp", validPush()); err != nil {
		t.Fatal(err)
	}
	equal(t, "occurred at", h.store.pushed.OccurredAt, cut)
}

func TestPushPublishesOneMessageEventPerStoredRecord(t *testing.T) {
	h := newHarness(t)
	h.store.created = []inbox.Created{{Username: "ann", ID: "110"}, {Username: "zoe", ID: "1112"}}
	h.store.row = bus.Position{Transaction: 7, Sequence: 3}
	r := validPush()
	r.TargetUsernames = []string{"zoe", "bob", "ann", "bob"}
	result, err := h.service.Push(t.Context(), "erp", r)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "result", result, inbox.PushResult{Created: h.store.created, Duplicates: 1, Position: h.store.row})
	equal(t, "frames", h.bus.frames, []bus.Frame{{Position: h.store.row, Events: []bus.Event{
		{Kind: bus.Message, User: "ann", ID: "110", Time: cut},
		{Kind: bus.Message, User: "zoe", ID: "1112", Time: cut},
	}}})
}

func TestPushOfDuplicatesPublishesNothing(t *testing.T) {
	h := newHarness(t)
	if _, err := h.service.Push(t.Context(), "erp", validPush()); err != nil {
		t.Fatal(err)
	}
	equal(t, "frames", h.bus.frames, nil)
}

func TestMarkReadPublishesOneReadEventPerSwitchedRecord(t *testing.T) {
	h := newHarness(t)
	h.store.switched, h.store.row = 2, bus.Position{Transaction: 7, Sequence: 3}
	r := inbox.MarkReadRequest{SourceMessageID: "m1", Username: "ann"}
	n, err := h.service.MarkRead(t.Context(), "portal", r)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "switched", n, 2)
	equal(t, "params", *h.store.marked, inbox.MarkReadParams{
		Stamp: inbox.Stamp{ClientID: "portal", Now: cut}, SourceMessageID: "m1", Username: "ann",
	})
	event := bus.Event{Kind: bus.Read, User: "ann", ID: "m1", Time: cut}
	equal(t, "frames", h.bus.frames, []bus.Frame{{Position: h.store.row, Events: []bus.Event{event, event}}})
}

func TestMarkReadOfNothingPublishesNothing(t *testing.T) {
	h := newHarness(t)
	n, err := h.service.MarkRead(t.Context(), "portal", inbox.MarkReadRequest{SourceMessageID: "m1", Username: "ann"})
	if n != 0 || err != nil {
		t.Errorf("MarkRead = %d, %v, want success with 0", n, err)
	}
	equal(t, "frames", h.bus.frames, nil)
}

func TestEventsGoOutWhenTheCallerIsGone(t *testing.T) {
	h := newHarness(t)
	h.store.created, h.store.switched = []inbox.Created{{Username: "ann", ID: "110"}}, 1
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.service.Push(ctx, "erp", validPush()); err != nil {
		t.Fatal(err)
	}
	if _, err := h.service.MarkRead(ctx, "portal", inbox.MarkReadRequest{SourceMessageID: "m1", Username: "ann"}); err != nil {
		t.Fatal(err)
	}
	equal(t, "number of frames", len(h.bus.frames), 2)
	equal(t, "stopped", h.bus.stopped, false)
}

func TestFailureOfTheStoreIsPassedOnAndPublishesNothing(t *testing.T) {
	h := newHarness(t)
	h.store.created, h.store.switched = []inbox.Created{{Username: "ann", ID: "110"}}, 1
	h.store.err = fault.New(fault.Unavailable, "the database is busy")
	_, pushErr := h.service.Push(t.Context(), "erp", validPush())
	_, readErr := h.service.MarkRead(t.Context(), "portal", inbox.MarkReadRequest{SourceMessageID: "m1", Username: "ann"})
	_, listErr := h.service.List(t.Context(), inbox.ListRequest{})
	_, countErr := h.service.CountUnread(t.Context(), inbox.CountUnreadRequest{Username: "ann"})
	_, newestErr := h.service.NewestID(t.Context(), inbox.NewestIDRequest{Username: "ann"})
	for name, err := range map[string]error{
		"push": pushErr, "mark read": readErr, "list": listErr, "count": countErr, "newest": newestErr,
	} {
		if !errors.Is(err, h.store.err) {
			t.Errorf("%s: error %v, want the store's", name, err)
		}
	}
	equal(t, "frames", h.bus.frames, nil)
}

func TestListFillsInTheDefaults(t *testing.T) {
	h := newHarness(t)
	h.store.result = inbox.ListResult{Records: []inbox.Record{{ID: "110"}}, Total: 7}
	page, err := h.service.List(t.Context(), inbox.ListRequest{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "params", *h.store.listed, inbox.ListParams{
		Page: field.Page{Number: 0, Size: 20},
		Sort: inbox.Sort{Field: inbox.SortOccurredAt, Descending: true},
	})
	equal(t, "page", page, inbox.Page{Records: h.store.result.Records, Number: 0, Size: 20, Total: 7})
}

func TestListPassesFiltersAndCutsTheSize(t *testing.T) {
	h := newHarness(t)
	page, err := h.service.List(t.Context(), inbox.ListRequest{
		Username: new("ann"), Status: inbox.Read, SourceAppID: "erp", SourceMessageID: "m1",
		Page: new(int64(3)), Size: new(int64(101)), Sort: &inbox.Sort{Field: inbox.SortCategory},
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "params", *h.store.listed, inbox.ListParams{
		Username: "ann", Status: inbox.Read, SourceAppID: "erp", SourceMessageID: "m1",
		Page: field.Page{Number: 3, Size: 100}, Sort: inbox.Sort{Field: inbox.SortCategory},
	})
	equal(t, "page", page, inbox.Page{Number: 3, Size: 100})
}

func TestSlowListIsUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.store.hang = true
		for _, list := range []func() error{
			func() error { _, err := h.service.List(t.Context(), inbox.ListRequest{}); return err },
			func() error { _, err := h.service.Search(t.Context(), inbox.SearchRequest{}); return err },
		} {
			start := time.Now()
			f := fault.As(list())
			equal(t, "kind", f.Kind, fault.Unavailable)
			equal(t, "message", f.Public, "the list took too long")
			equal(t, "time taken", time.Since(start), time.Second)
		}
	})
}

func TestListOfACallerWithLessTimeIsNotTheListsFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.store.hang = true
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := h.service.List(ctx, inbox.ListRequest{})
		var f *fault.Fault
		if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &f) {
			t.Errorf("error %v, want the caller's deadline", err)
		}
	})
}

func TestCountUnreadAnswersTheStoresCount(t *testing.T) {
	h := newHarness(t)
	h.store.unread = 42
	n, err := h.service.CountUnread(t.Context(), inbox.CountUnreadRequest{Username: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "count", n, 42)
	equal(t, "params", *h.store.counted, inbox.CountUnreadParams{Username: "ann"})
}

func TestNewestIDAnswersTheStores(t *testing.T) {
	h := newHarness(t)
	h.store.newest = "110"
	id, err := h.service.NewestID(t.Context(), inbox.NewestIDRequest{Username: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "id", id, "110")
	equal(t, "params", *h.store.asked, inbox.NewestIDParams{Username: "ann"})
}
