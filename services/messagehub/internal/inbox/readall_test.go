package inbox_test

import (
	"errors"
	"slices"
	"testing"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/messagehub/internal/inbox"
)

// page reads one with a watermark.
func watermarkOf(t *testing.T, h *harness, username string) string {
	t.Helper()
	page, err := h.service.List(t.Context(), inbox.ListRequest{Username: &username, Cursor: ptr("")})
	if err != nil || page.Watermark == "" {
		t.Fatalf("%+v, %v", page, err)
	}
	return page.Watermark
}

func TestReadAllGoesOnToTheEndAndAnnouncesOnce(t *testing.T) {
	h := newHarness(t)
	h.store.watermark = inbox.Watermark{Body: 1 << 40, End: 77, Running: []int64{5, 70}}
	row := bus.Position{Transaction: 9, Sequence: 3}
	h.store.done = []inbox.AllRead{
		{Switched: 2, Newest: "m9"}, {Switched: 4, Newest: "m9"}, {Switched: 5, Newest: "m9", Position: row, End: true},
	}
	n, err := h.service.MarkAllRead(t.Context(), "portal", inbox.MarkAllReadRequest{
		Username: "ann", UpTo: watermarkOf(t, h, "ann"), SourceAppID: "erp", Category: "notice",
	})
	if err != nil || n != 5 || len(h.store.batches) != 3 {
		t.Fatalf("%d switched in %d batches, %v", n, len(h.store.batches), err)
	}
	first := h.store.batches[0]
	want := h.store.watermark
	want.At = cut
	equal(t, "the watermark", first.UpTo, want)
	equal(t, "the filters", []string{first.Username, first.SourceAppID, first.Category}, []string{"ann", "erp", "notice"})
	equal(t, "the second goes on from the first", h.store.batches[1].Done, h.store.done[0])
	event := bus.Event{Kind: bus.Read, User: "ann", ID: "m9", Time: cut}
	equal(t, "frames", h.bus.frames, []bus.Frame{{Position: row, Events: []bus.Event{event}}})
}

func TestReadAllAnnouncesWhatItSwitchedBeforeAFault(t *testing.T) {
	h := newHarness(t)
	h.store.err = nil
	upTo := watermarkOf(t, h, "ann")
	h.store.done, h.store.err = []inbox.AllRead{{Switched: 2, Newest: "m9"}}, errors.New("away")
	n, err := h.service.MarkAllRead(t.Context(), "portal", inbox.MarkAllReadRequest{Username: "ann", UpTo: upTo})
	if err == nil || n != 2 || len(h.bus.frames) != 1 {
		t.Errorf("%d switched, %v, %d frames", n, err, len(h.bus.frames))
	}
}

// A token is bounded: where too many transactions were running, less is below it.
func TestWatermarkOfManyTransactionsIsLower(t *testing.T) {
	h := newHarness(t)
	for n := range int64(200) {
		h.store.watermark.Running = append(h.store.watermark.Running, 1000+2*n)
	}
	h.store.watermark.End = 5000
	upTo := watermarkOf(t, h, "ann")
	h.store.done = []inbox.AllRead{{End: true}}
	if _, err := h.service.MarkAllRead(t.Context(), "portal", inbox.MarkAllReadRequest{Username: "ann", UpTo: upTo}); err != nil {
		t.Fatal(err)
	}
	got := h.store.batches[0].UpTo
	if len(upTo) > 600 || got.End != 1128 || !slices.Equal(got.Running, h.store.watermark.Running[:64]) {
		t.Errorf("%d bytes, %+v", len(upTo), got)
	}
	if len(h.bus.frames) != 0 {
		t.Errorf("%d frames", len(h.bus.frames))
	}
}

func TestCountUnreadBatchChecks(t *testing.T) {
	h := newHarness(t)
	for fault, names := range map[string][]string{
		"usernames must not be empty":             nil,
		"usernames must have at most 500 entries": slices.Repeat([]string{"ann"}, 501),
		"usernames[1] must not be empty":          {"ann", ""},
		"usernames[0] must not contain NUL":       {"\x00"},
	} {
		if _, err := h.service.CountUnreadBatch(t.Context(), inbox.CountUnreadBatchRequest{Usernames: names}); err == nil || err.Error() != fault {
			t.Errorf("%v, want %s", err, fault)
		}
	}
	counts, err := h.service.CountUnreadBatch(t.Context(), inbox.CountUnreadBatchRequest{Usernames: slices.Repeat([]string{"ann"}, 500)})
	if err != nil || len(counts) != 500 {
		t.Errorf("%d counts, %v", len(counts), err)
	}
}
