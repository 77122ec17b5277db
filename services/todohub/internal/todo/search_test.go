package todo_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
	"example.com/hub/services/todohub/internal/todo"
)

// found searches and gives the ids of the pages, with blanks between the pages.
func found(t *testing.T, s *todo.Service, r todo.SearchRequest) string {
	t.Helper()
	var pages []string
	for {
		got, err := s.Search(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		ids := ""
		for _, item := range got.Items {
			ids += item.ID
		}
		pages = append(pages, ids)
		if r.Cursor = got.Next; r.Cursor == "" {
			return strings.Join(pages, " ")
		}
	}
}

func users(names ...string) *field.Users { return &field.Users{Names: names, ChosenBy: "test"} }

func TestSearchGoesToTheEnd(t *testing.T) {
	s := newService(t, newStore(t), todo.Rules{MaxPageSize: 4, ListTimeout: time.Minute})
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		r := report(id)
		if id == "b" || id == "e" {
			r.AssigneeUsername, r.Type = "bob", todo.Review
		}
		if _, err := s.Upsert(t.Context(), "erp", r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Clear(t.Context(), "erp", todo.ClearRequest{ID: "f", Result: "done"}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		request todo.SearchRequest
		want    string
	}{
		{"everything, clamped", todo.SearchRequest{Size: ptr[int64](9)}, "edcb a"},
		{"by twos", todo.SearchRequest{Size: ptr[int64](2), Users: users("ann", "bob", "ann")}, "ed cb a"},
		{"of one", todo.SearchRequest{Users: users("bob")}, "eb"},
		{"a full last page", todo.SearchRequest{Size: ptr[int64](1), Users: users("bob")}, "e b"},
		{"of nobody", todo.SearchRequest{Users: users()}, ""},
		{"of a type", todo.SearchRequest{Type: todo.Handle}, "dca"},
		{"of a status", todo.SearchRequest{Status: todo.Cleared}, "f"},
		{"of any status", todo.SearchRequest{AnyStatus: true, Size: ptr[int64](3)}, "fed cba"},
		{"of a source", todo.SearchRequest{SourceSystem: "erp", Users: users("bob")}, "eb"},
		{"of another source", todo.SearchRequest{SourceSystem: "crm"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := found(t, s, tt.request); got != tt.want {
				t.Errorf("pages %q, want %q", got, tt.want)
			}
		})
	}
}

// A cursor goes on while others come to be chosen by the same filter, and is refused for any other list.
func TestSearchRefusesCursorsOfOtherLists(t *testing.T) {
	s := newService(t, newStore(t), defaultRules)
	for _, id := range []string{"a", "b", "c"} {
		upsert(t, s, "erp", id)
	}
	first, err := s.Search(t.Context(), todo.SearchRequest{Users: users("ann"), Size: ptr[int64](1)})
	if err != nil {
		t.Fatal(err)
	}
	if got := found(t, s, todo.SearchRequest{Users: users("ann", "bob"), Cursor: first.Next}); got != "ba" {
		t.Errorf("with one more user: %q, want ba", got)
	}
	walked, err := s.List(t.Context(), todo.ListRequest{Size: ptr[int64](1), Cursor: ptr("")})
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]todo.SearchRequest{
		"chosen otherwise":    {Users: &field.Users{Names: []string{"ann"}, ChosenBy: "x"}, Cursor: first.Next},
		"of all users":        {Cursor: first.Next},
		"of another source":   {Users: users("ann"), SourceSystem: "erp", Cursor: first.Next},
		"of another status":   {Users: users("ann"), Status: todo.Cleared, Cursor: first.Next},
		"of any status":       {Users: users("ann"), AnyStatus: true, Cursor: first.Next},
		"of one type":         {Users: users("ann"), Type: todo.Handle, Cursor: first.Next},
		"of the users' list":  {Cursor: walked.Next},
		"that are none":       {Cursor: "c1.x"},
		"without the version": {Users: users("ann"), Cursor: strings.TrimPrefix(first.Next, "c1.")},
	} {
		if _, err := s.Search(t.Context(), r); !errors.Is(err, cursor.ErrInvalid) {
			t.Errorf("a cursor %s: %v", name, err)
		}
	}
}

func TestSearchNamesTheFault(t *testing.T) {
	s := newService(t, newStore(t), defaultRules)
	for want, r := range map[string]todo.SearchRequest{
		"usernames must have at most 5000 entries":          {Users: users(make([]string, field.MaxSearched+1)...)},
		"usernames[1] must not be empty":                    {Users: users("ann", "")},
		"chosen by must not be empty":                       {Users: &field.Users{}},
		"source system must not contain control characters": {SourceSystem: "a\n"},
		"status must be OPEN, CLEARED or INVALID":           {Status: 4},
		"any status must stand without a status":            {AnyStatus: true, Status: todo.Open},
		"type must be HANDLE or REVIEW":                     {Type: 3},
		"size must be an integer of at least 1":             {Size: ptr[int64](0)},
		"source system must be at most 128 characters":      {SourceSystem: strings.Repeat("a", 129), Status: 4},
		"usernames[0] must be at most 128 characters":       {Users: users(strings.Repeat("a", 129)), Type: 3},
		"chosen by must be at most 1024 characters":         {Users: &field.Users{ChosenBy: strings.Repeat("a", 1025)}},
	} {
		_, err := s.Search(t.Context(), r)
		wantFault(t, err, fault.Invalid, want)
	}
}

func TestAdministratorsClearWhateverItIs(t *testing.T) {
	s := newService(t, newStore(t), todo.Rules{SourceOwned: true, MaxPageSize: 10, ListTimeout: time.Minute})
	upsert(t, s, "erp", "a")
	_, err := s.Clear(t.Context(), "user:carla", todo.ClearRequest{ID: "a", Result: "done"})
	wantFault(t, err, fault.Forbidden, "the item belongs to another client")
	done, err := s.ClearAny(t.Context(), "user:carla", todo.ClearRequest{ID: "a", Result: "done", ClearedBy: "carla"})
	if err != nil {
		t.Fatal(err)
	}
	if i := done.Item; i.Status != todo.Cleared || i.ModifierID != "user:carla" || i.ClearedBy != "carla" || i.CreatorID != "erp" {
		t.Errorf("cleared: %+v", i)
	}
}
