package inbox_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/fault"
	"example.com/hub/services/messagehub/internal/inbox"
)

func ptr[T any](value T) *T { return &value }

// places are three records, the newest first.
func places() []inbox.Record {
	var records []inbox.Record
	for i := range int64(3) {
		records = append(records, inbox.Record{
			ID: inbox.RecordID(9-i, i), OccurredAt: cut.Add(-time.Duration(i) * time.Hour), CreateTime: cut.AddDate(0, 0, -int(i)),
		})
	}
	return records
}

func TestWalkGivesTheCursorOfItsLastRecord(t *testing.T) {
	for _, tt := range []struct {
		sort inbox.Sort
		want inbox.Place
	}{
		{inbox.DefaultSort, inbox.Place{At: cut.Add(-time.Hour), Body: 8, Ordinal: 1}},
		{inbox.Sort{Field: inbox.SortCreateTime}, inbox.Place{At: cut.AddDate(0, 0, -1), Body: 8, Ordinal: 1}},
		{inbox.Sort{Field: inbox.SortID, Descending: true}, inbox.Place{Body: 8, Ordinal: 1}},
	} {
		h := newHarness(t)
		h.store.result.Records = places()
		r := inbox.ListRequest{Username: ptr("ann"), Size: ptr[int64](2), Sort: &tt.sort, Cursor: ptr("")}
		first, err := h.service.List(t.Context(), r)
		if err != nil || len(first.Records) != 2 || first.Size != 2 || first.Next == "" {
			t.Fatalf("the first page is %+v, %v", first, err)
		}
		equal(t, "the start", h.store.walked.After, nil)
		equal(t, "the size that is read", h.store.walked.Page.Size, 3)

		h.store.result.Records = places()[:2]
		r.Cursor = &first.Next
		last, err := h.service.List(t.Context(), r)
		if err != nil || len(last.Records) != 2 || last.Next != "" {
			t.Fatalf("a full last page is %+v, %v", last, err)
		}
		equal(t, "the place", h.store.walked.After, &tt.want)
	}
}

// A cursor is refused wherever it was not made: it would show a place that means nothing there.
func TestWalkRefusesCursors(t *testing.T) {
	h := newHarness(t)
	h.store.result.Records = places()
	made := inbox.ListRequest{Username: ptr("ann"), Size: ptr[int64](2), Cursor: ptr("")}
	first, err := h.service.List(t.Context(), made)
	if err != nil {
		t.Fatal(err)
	}
	next := first.Next
	bad := map[string]string{
		"another list":    cursor.List{"todos"}.Token(cursor.Key{ID: "a"}),
		"cut":             next[:len(next)-1],
		"one byte more":   next + "A",
		"one byte less":   next[:9] + next[10:],
		"another version": "c2." + next[3:],
		"too long":        cursor.Prefix + strings.Repeat("A", cursor.MaxLength),
		"no text":         cursor.Prefix + "\xff",
		"blank":           " ",
	}
	list := cursor.List{"inbox", "occurredAt", "true", "ann", "unknown", "", ""}
	if _, err := h.service.List(t.Context(), with(made, list.Token(cursor.Key{At: cut, ID: "00"}))); err != nil {
		t.Fatalf("a token of the test: %v", err)
	}
	for name, k := range map[string]cursor.Key{
		"a huge time":           {At: time.UnixMicro(math.MaxInt64), ID: "00"},
		"a tiny time":           {At: time.UnixMicro(math.MinInt64), ID: "00"},
		"no id":                 {At: cut},
		"an id of another kind": {At: cut, ID: "todo-1"},
		"an ordinal too large":  {At: cut, ID: inbox.RecordID(1, math.MaxInt32+1)},
		"no UTF-8":              {At: cut, ID: "\xff"},
	} {
		bad[name] = list.Token(k)
	}
	for i := range next {
		changed := []byte(next)
		changed[i] ^= 1
		bad[fmt.Sprint("changed at ", i)] = string(changed)
	}
	for name, token := range bad {
		_, err := h.service.List(t.Context(), with(made, token))
		if f := fault.As(err); err == nil || f.Kind != fault.Invalid || f.Public != "cursor is not valid for this list" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*inbox.ListRequest){
		"another user":       func(r *inbox.ListRequest) { r.Username = ptr("bob") },
		"everybody":          func(r *inbox.ListRequest) { r.Username = nil },
		"another status":     func(r *inbox.ListRequest) { r.Status = inbox.Read },
		"another app":        func(r *inbox.ListRequest) { r.SourceAppID = "erp" },
		"another message id": func(r *inbox.ListRequest) { r.SourceMessageID = "m1" },
		"another sort":       func(r *inbox.ListRequest) { r.Sort = &inbox.Sort{Field: inbox.SortID, Descending: true} },
		"upwards":            func(r *inbox.ListRequest) { r.Sort = &inbox.Sort{Field: inbox.SortOccurredAt} },
	} {
		r := with(made, next)
		change(&r)
		if _, err := h.service.List(t.Context(), r); err == nil || fault.As(err).Public != "cursor is not valid for this list" {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := with(made, next)
	r.Size, r.Sort = ptr[int64](50), &inbox.DefaultSort
	if _, err := h.service.List(t.Context(), r); err != nil {
		t.Errorf("another size: %v", err)
	}
}

func with(r inbox.ListRequest, token string) inbox.ListRequest {
	r.Cursor = &token
	return r
}

func TestWalkChecks(t *testing.T) {
	h := newHarness(t)
	start := ptr("")
	for _, tt := range []struct {
		request inbox.ListRequest
		want    string
	}{
		{inbox.ListRequest{Cursor: start, Page: ptr[int64](0)}, "page must not stand beside a cursor"},
		{inbox.ListRequest{Cursor: ptr("x"), Size: ptr[int64](0)}, "size must be an integer of at least 1"},
		{
			inbox.ListRequest{Cursor: ptr("x"), Sort: &inbox.Sort{Field: inbox.SortModifyTime}},
			"sort must be one of occurredAt, createTime, id, with an optional ,asc or ,desc",
		},
		{inbox.ListRequest{Cursor: start, Username: start}, "username must not be empty"},
		{inbox.ListRequest{Cursor: start, Status: 3}, "status must be UNREAD or READ"},
	} {
		_, err := h.service.List(t.Context(), tt.request)
		if f := fault.As(err); err == nil || f.Kind != fault.Invalid || f.Public != tt.want {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
	if h.store.walked != nil {
		t.Errorf("the store was asked: %+v", h.store.walked)
	}
}

func TestParseRecordID(t *testing.T) {
	for _, n := range []int64{0, 1, 35, 36, 71, math.MaxInt32, math.MaxInt64} {
		body, ordinal, ok := inbox.ParseRecordID(inbox.RecordID(n, min(n, math.MaxInt32)))
		if diff := cmp.Diff([]any{n, min(n, int64(math.MaxInt32)), true}, []any{body, ordinal, ok}); diff != "" {
			t.Errorf("%d (-want +got):\n%s", n, diff)
		}
	}
	for _, id := range []string{
		"", "0", "00 ", "000", "2", "21", "21z", "21Z15", "21z2015", "2+z15", "2-115", "1-15", "dzzzzzzzzzzzzz0", "zz", "\x00\x00", "é0",
		inbox.RecordID(1, math.MaxInt32+1), "todo-1",
	} {
		if body, ordinal, ok := inbox.ParseRecordID(id); ok {
			t.Errorf("%q is %d, %d", id, body, ordinal)
		}
	}
}
