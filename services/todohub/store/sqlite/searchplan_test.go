package sqlite

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/cursor"
	"example.com/hub/services/todohub/internal/todo"
)

// TestSearchPlan checks that a search of users begins each range of todo_list behind its place, without a sort
// of what it has, and takes rows by their ids alone.
func TestSearchPlan(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "todo.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	const begin = "SEARCH todo USING COVERING INDEX todo_list (assignee_username=? AND status=? AND type=? AND (modify_time,id)<(?,?))"
	k, args, err := searchOf(todo.SearchParams{
		Usernames: []string{"ann", "bob"}, Statuses: []todo.Status{todo.Open}, Types: []todo.Type{todo.Handle}, Size: 21,
		After: &cursor.Key{At: time.Now(), ID: "a"},
	})
	if err != nil {
		t.Fatal(err)
	}
	const byID = " USING INDEX sqlite_autoindex_todo_1 (id=?)"
	const sort = "USE TEMP B-TREE FOR ORDER BY"
	want := []string{
		"SEARCH todo" + byID,
		"SCAN u VIRTUAL TABLE INDEX 1:", "SCAN s VIRTUAL TABLE INDEX 1:", "SCAN t VIRTUAL TABLE INDEX 1:",
		"SEARCH head" + byID, begin, sort,
		"SCAN u", "SEARCH item" + byID, begin, sort,
		sort,
	}
	if got := s.explain(t, k.text(), args); !slices.Equal(got, want) {
		t.Errorf("plan:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
