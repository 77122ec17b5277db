package sqlite

import (
	"database/sql"
	"path/filepath"
	"sync"
	"testing"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/todohub/internal/todo"
)

// listKeys are those of all lists.
func listKeys() []listKey {
	var all []listKey
	for _, field := range todo.SortFields() {
		for _, descending := range []bool{false, true} {
			sort := todo.Sort{Field: field, Descending: descending}
			for _, full := range []bool{false, true} {
				all = append(all, listKey{full: full, sort: sort}, listKey{assigned: true, full: full, sort: sort})
				if field == todo.SortModifyTime {
					all = append(all, listKey{assigned: true, shallow: true, full: full, sort: sort})
				}
			}
		}
	}
	return all
}

// walkKeys are those of all walks.
func walkKeys() []walkKey {
	var all []walkKey
	for _, field := range todo.CursorSortFields() {
		for bits := range 32 {
			all = append(all, walkKey{
				listKey:   listKey{assigned: bits&1 > 0, full: bits&16 > 0, sort: todo.Sort{Field: field, Descending: bits&2 > 0}},
				anyStatus: bits&4 > 0, behind: bits&8 > 0,
			})
		}
	}
	return all
}

// searchKeys are those of all searches.
func searchKeys() []searchKey {
	var all []searchKey
	for bits := range 16 {
		all = append(all, searchKey{users: bits&1 > 0, source: bits&2 > 0, full: bits&4 > 0, behind: bits&8 > 0})
	}
	return all
}

// prepared is the statement of a key, which its file closes.
func prepared[K comparable](t *testing.T, v *sqlitefile.Variants[K], k K) *sql.Stmt {
	t.Helper()
	stmt, err := v.Of(t.Context(), k)
	if err != nil {
		t.Errorf("prepare %+v: %v", k, err)
	}
	return stmt
}

// TestAllListsArePrepared checks their texts, of which each is prepared when it is first used.
func TestAllListsArePrepared(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "todo.db"))
	for _, k := range listKeys() {
		prepared(t, s.pages, k)
	}
	for _, k := range walkKeys() {
		prepared(t, s.walks, k)
	}
	for _, k := range searchKeys() {
		prepared(t, s.searches, k)
	}
}

func TestVariantsPrepareEachOnce(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "todo.db"))
	v := sqlitefile.NewVariants(s.file.Read, func(negative bool) string {
		if negative {
			return "SELECT -1"
		}
		return "SELECT 1"
	})
	var callers sync.WaitGroup
	made := make([]*sql.Stmt, 16)
	for i := range made {
		callers.Go(func() {
			made[i] = prepared(t, v, i%2 > 0)
			var got int
			if err := made[i].QueryRowContext(t.Context()).Scan(&got); err != nil || got != 1-i%2*2 {
				t.Errorf("caller %d has %d, %v", i, got, err)
			}
		})
	}
	callers.Wait()
	for i, stmt := range made {
		if stmt != made[i%2] {
			t.Errorf("caller %d has a statement of its own", i)
		}
	}
}

func TestVariantThatCannotBePreparedIsTriedAgain(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "todo.db"))
	v := sqlitefile.NewVariants(s.file.Read, func(table string) string { return "SELECT 1 FROM " + table })
	stmt, err := v.Of(t.Context(), "later")
	if err == nil {
		defer func() { _ = stmt.Close() }()
		t.Error("a statement on no table was prepared")
	}
	exec(t, s, "CREATE TABLE later (a)")
	prepared(t, v, "later")
}
