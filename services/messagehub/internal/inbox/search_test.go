package inbox_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/field"
	"example.com/hub/services/messagehub/internal/inbox"
)

func chosen(names ...string) *field.Users { return &field.Users{Names: names, ChosenBy: "test"} }

func TestSearchHandsTheStoreEachUserOnce(t *testing.T) {
	h := newHarness(t)
	if _, err := h.service.Search(t.Context(), inbox.SearchRequest{Users: chosen("bob", "ann", "bob")}); err != nil {
		t.Fatal(err)
	}
	equal(t, "search", *h.store.found, inbox.SearchParams{
		Usernames: []string{"ann", "bob"}, Statuses: []inbox.Status{inbox.Unread, inbox.Read}, Size: field.DefaultPageSize + 1,
	})
	r := inbox.SearchRequest{SourceAppID: "erp", Status: inbox.Read, Size: ptr[int64](1000)}
	if _, err := h.service.Search(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	equal(t, "search", *h.store.found, inbox.SearchParams{SourceAppID: "erp", Statuses: []inbox.Status{inbox.Read}, Size: 101})
}

func TestSearchOfNobodyFindsNothing(t *testing.T) {
	h := newHarness(t)
	h.store.result.Records = places()
	page, err := h.service.Search(t.Context(), inbox.SearchRequest{Users: chosen()})
	if err != nil || len(page.Records) != 0 || page.Next != "" || page.Size != field.DefaultPageSize || h.store.found != nil {
		t.Errorf("found %+v, %v", page, err)
	}
}

// A cursor goes on while others come to be chosen by the same filter, and is refused for any other list.
func TestSearchGivesTheCursorOfItsLastRecord(t *testing.T) {
	h := newHarness(t)
	h.store.result.Records = places()
	first, err := h.service.Search(t.Context(), inbox.SearchRequest{Users: chosen("ann"), Size: ptr[int64](2)})
	if err != nil || len(first.Records) != 2 || first.Next == "" || first.Watermark != "" {
		t.Fatalf("the first page is %+v, %v", first, err)
	}
	last, err := h.service.Search(t.Context(), inbox.SearchRequest{Users: chosen("ann", "bob"), Size: ptr[int64](3), Cursor: first.Next})
	if err != nil || len(last.Records) != 3 || last.Next != "" {
		t.Fatalf("a full last page is %+v, %v", last, err)
	}
	at := places()[1]
	equal(t, "the place", h.store.found.After, &inbox.Place{At: at.OccurredAt, Body: 8, Ordinal: 1})
	walked, err := h.service.List(t.Context(), inbox.ListRequest{Size: ptr[int64](2), Cursor: ptr("")})
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]inbox.SearchRequest{
		"chosen otherwise":    {Users: &field.Users{Names: []string{"ann"}, ChosenBy: "x"}, Cursor: first.Next},
		"of all users":        {Cursor: first.Next},
		"of another app":      {Users: chosen("ann"), SourceAppID: "erp", Cursor: first.Next},
		"of one status":       {Users: chosen("ann"), Status: inbox.Unread, Cursor: first.Next},
		"of the users' list":  {Cursor: walked.Next},
		"that are none":       {Cursor: "c1.x"},
		"of a made-up record": {Cursor: cursor.List{"inboxes of many", "", "", "unknown"}.Token(cursor.Key{ID: "x"})},
	} {
		if _, err := h.service.Search(t.Context(), r); !errors.Is(err, cursor.ErrInvalid) {
			t.Errorf("a cursor %s: %v", name, err)
		}
	}
}

func TestSearchNamesTheFault(t *testing.T) {
	for _, tt := range []struct {
		field, message string
		request        inbox.SearchRequest
	}{
		{"usernames", "usernames must have at most 5000 entries", inbox.SearchRequest{Users: chosen(make([]string, field.MaxSearched+1)...)}},
		{"usernames[1]", "usernames[1] must not be empty", inbox.SearchRequest{Users: chosen("ann", "")}},
		{"chosen_by", "chosen by must not be empty", inbox.SearchRequest{Users: &field.Users{}}},
		{"chosen_by", "chosen by must be at most 1024 characters", inbox.SearchRequest{Users: &field.Users{ChosenBy: strings.Repeat("a", 1025)}}},
		{"source_app_id", "source app id must not contain control characters", inbox.SearchRequest{SourceAppID: "a\n", Status: 3}},
		{"status", "status must be UNREAD or READ", inbox.SearchRequest{Status: 3}},
		{"size", "size must be an integer of at least 1", inbox.SearchRequest{Size: ptr[int64](0)}},
	} {
		h := newHarness(t)
		_, err := h.service.Search(t.Context(), tt.request)
		wantFault(t, err, tt.field, tt.message)
	}
}
