package todo_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/fault"
	"example.com/hub/services/todohub/internal/todo"
)

func ptr[T any](value T) *T { return &value }

// page lists and gives the ids of a page, and its cursor.
func page(t *testing.T, s *todo.Service, r todo.ListRequest) (ids, next string) {
	t.Helper()
	got, err := s.List(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if got.Total != 0 || got.Number != 0 {
		t.Errorf("a walk counted: %+v", got)
	}
	for _, item := range got.Items {
		ids += item.ID
	}
	return ids, got.Next
}

func TestWalkGoesToTheEnd(t *testing.T) {
	s := newService(t, newStore(t), todo.Rules{MaxPageSize: 4, ListTimeout: time.Minute})
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		upsert(t, s, "erp", id)
	}
	if _, err := s.Clear(t.Context(), "erp", todo.ClearRequest{ID: "f", Result: "done"}); err != nil {
		t.Fatal(err)
	}
	asc := &todo.Sort{Field: todo.SortID}
	for _, tt := range []struct {
		name    string
		request todo.ListRequest
		want    string
	}{
		{"by twos", todo.ListRequest{Size: ptr[int64](2)}, "ed cb a"},
		{"a full last page", todo.ListRequest{Size: ptr[int64](1), AssigneeUsername: ptr("ann"), Sort: asc}, "a b c d e"},
		{"clamped", todo.ListRequest{Size: ptr[int64](5), Sort: asc}, "abcd e"},
		{"of any status", todo.ListRequest{Size: ptr[int64](3), AnyStatus: true}, "fed cba"},
		{"of one status", todo.ListRequest{Status: todo.Cleared}, "f"},
		{"nothing", todo.ListRequest{AssigneeUsername: ptr("nobody")}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := tt.request
			r.Cursor = ptr("")
			ids, next := page(t, s, r)
			pages := []string{ids}
			for next != "" {
				r.Cursor = &next
				ids, next = page(t, s, r)
				pages = append(pages, ids)
			}
			if got := strings.Join(pages, " "); got != tt.want {
				t.Errorf("pages %q, want %q", got, tt.want)
			}
		})
	}
}

// A cursor is refused wherever it was not made: it would show a place that means nothing there.
func TestWalkRefusesCursors(t *testing.T) {
	s := newService(t, newStore(t), defaultRules)
	for _, id := range []string{"a", "b"} {
		upsert(t, s, "erp", id)
	}
	made := todo.ListRequest{AssigneeUsername: ptr("ann"), Size: ptr[int64](1), Cursor: ptr("")}
	_, next := page(t, s, made)
	bad := map[string]string{
		"another list":    cursor.List{"inbox"}.Token(cursor.Key{ID: "a"}),
		"cut":             next[:len(next)-1],
		"one byte more":   next + "A",
		"one byte less":   next[:9] + next[10:],
		"another version": "c2." + next[3:],
		"too long":        cursor.Prefix + strings.Repeat("A", cursor.MaxLength),
		"no text":         cursor.Prefix + "\xff",
		"blank":           " ",
	}
	list := cursor.List{"todos", "modifyTime", "true", "ann", "OPEN", "HANDLE"}
	if ids, _ := page(t, s, with(made, list.Token(cursor.Key{At: now, ID: "b"}))); ids != "a" {
		t.Fatalf("a token of the test gives %q: it is not of this list", ids)
	}
	for name, k := range map[string]cursor.Key{
		"a huge time":      {At: time.UnixMicro(math.MaxInt64), ID: "a"},
		"a tiny time":      {At: time.UnixMicro(math.MinInt64), ID: "a"},
		"no id":            {At: now},
		"an id of NUL":     {At: now, ID: "a\x00"},
		"no UTF-8":         {At: now, ID: "\xff"},
		"an id too long":   {At: now, ID: strings.Repeat("a", 256)},
		"an id of control": {At: now, ID: "a\n"},
	} {
		bad[name] = list.Token(k)
	}
	for i := range next {
		changed := []byte(next)
		changed[i] ^= 1
		bad[fmt.Sprint("changed at ", i)] = string(changed)
	}
	for name, token := range bad {
		_, err := s.List(t.Context(), with(made, token))
		if f := fault.As(err); err == nil || f.Kind != fault.Invalid || f.Public != "cursor is not valid for this list" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*todo.ListRequest){
		"another user":   func(r *todo.ListRequest) { r.AssigneeUsername = ptr("bob") },
		"everybody":      func(r *todo.ListRequest) { r.AssigneeUsername = nil },
		"another status": func(r *todo.ListRequest) { r.Status = todo.Cleared },
		"any status":     func(r *todo.ListRequest) { r.AnyStatus = true },
		"another type":   func(r *todo.ListRequest) { r.Type = todo.Review },
		"another sort":   func(r *todo.ListRequest) { r.Sort = &todo.Sort{Field: todo.SortID, Descending: true} },
		"upwards":        func(r *todo.ListRequest) { r.Sort = &todo.Sort{Field: todo.SortModifyTime} },
	} {
		r := with(made, next)
		change(&r)
		if _, err := s.List(t.Context(), r); err == nil || fault.As(err).Public != "cursor is not valid for this list" {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The size is no part of the list, and the defaults may be said.
	r := with(made, next)
	r.Size, r.Status, r.Type, r.Sort = nil, todo.Open, todo.Handle, &todo.DefaultSort
	if ids, _ := page(t, s, r); ids != "a" {
		t.Errorf("another size gives %q", ids)
	}
}

func with(r todo.ListRequest, token string) todo.ListRequest {
	r.Cursor = &token
	return r
}

func TestWalkChecks(t *testing.T) {
	s := newService(t, newStore(t), defaultRules)
	start := ptr("")
	for _, tt := range []struct {
		request todo.ListRequest
		want    string
	}{
		{todo.ListRequest{Cursor: start, Page: ptr[int64](0)}, "page must not stand beside a cursor"},
		{todo.ListRequest{Cursor: ptr("x"), Page: ptr[int64](-1), Size: ptr[int64](0)}, "page must not stand beside a cursor"},
		{todo.ListRequest{Cursor: ptr("x"), Size: ptr[int64](0)}, "size must be an integer of at least 1"},
		{
			todo.ListRequest{Cursor: ptr("x"), Sort: &todo.Sort{Field: todo.SortTitle}},
			"sort must be one of modifyTime, createTime, id, with an optional ,asc or ,desc",
		},
		{todo.ListRequest{Cursor: start, AssigneeUsername: start}, "assignee username must not be empty"},
		{todo.ListRequest{Cursor: start, Status: -1}, "status must be OPEN, CLEARED or INVALID"},
		{todo.ListRequest{AnyStatus: true}, "any status must stand beside a cursor and without a status"},
		{todo.ListRequest{AnyStatus: true, Cursor: start, Status: todo.Open}, "any status must stand beside a cursor and without a status"},
	} {
		_, err := s.List(t.Context(), tt.request)
		wantFault(t, err, fault.Invalid, tt.want)
	}
}
