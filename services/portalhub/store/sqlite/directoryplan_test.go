package sqlite

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestDirectoryPlans checks that no list of people reads a whole table of them.
func TestDirectoryPlans(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "portalhub.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for _, k := range filterKeys() {
		queries := []string{k.walk()}
		if !k.prefix && (k.dept || k.role) {
			queries = append(queries, k.selected())
		}
		for _, query := range queries {
			for _, step := range s.explain(t, query) {
				if strings.HasPrefix(step, "SCAN person") || strings.HasPrefix(step, "SCAN role_member") {
					t.Errorf("%+v: %s", k, step)
				}
			}
		}
	}
}

// explain gives the steps of a plan.
func (s *Store) explain(t *testing.T, query string) (steps []string) {
	t.Helper()
	rows, err := s.file.Read.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, "", 1, "", "", "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return steps
}
