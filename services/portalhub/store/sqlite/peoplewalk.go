package sqlite

import (
	"context"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/pkg/store"
	"example.com/hub/services/portalhub/internal/people"
)

// WalkPeople reads the people behind a place in one statement, in the time of the context.
func (s *Store) WalkPeople(ctx context.Context, p people.WalkParams) ([]people.Person, error) {
	k := filterOf(p.Filter, p.Prefix)
	args := append(make([]any, 0, 6), p.After, p.Size)
	args = append(args, filterArgs(p.Filter)...)
	if k.prefix {
		args = append(args, p.Prefix, p.End())
	}
	var r personRow
	found := make([]people.Person, 0, p.Size)
	err := sqlitefile.ForEachRow(ctx, s.walkPeople[k], args, r.fields(), func() error {
		found = append(found, r.person())
		return nil
	})
	return found, s.file.Failed(ctx, "walk people", err)
}

// SelectPeople reads names alone, in the time of the context.
func (s *Store) SelectPeople(ctx context.Context, f people.Filter, limit int) (names []string, err error) {
	var name string
	args := append([]any{limit}, filterArgs(f)...)
	err = sqlitefile.ForEachRow(ctx, s.selectPeople[filterOf(f, "")], args, []any{&name}, func() error {
		names = append(names, name)
		return nil
	})
	return names, s.file.Failed(ctx, "select people", err)
}

// filterKey is what the text of a list depends on.
type filterKey struct{ dept, role, prefix bool }

func filterOf(f people.Filter, prefix string) filterKey {
	return filterKey{dept: f.DeptID != "", role: f.RoleID != "", prefix: prefix != ""}
}

// filterArgs are the binds of filterKey.binds.
func filterArgs(f people.Filter) (args []any) {
	if f.DeptID != "" {
		args = append(args, f.DeptID)
	}
	if f.RoleID != "" {
		args = append(args, f.RoleID)
	}
	return args
}

func (k filterKey) binds(names ...string) []string {
	if k.dept {
		names = append(names, "dept")
	}
	if k.role {
		names = append(names, "role")
	}
	return names
}

// filterKeys are all there are.
func filterKeys() (all []filterKey) {
	for bits := range 8 {
		all = append(all, filterKey{dept: bits&1 > 0, role: bits&2 > 0, prefix: bits&4 > 0})
	}
	return all
}

// tree is a department with all below it.
const tree = `WITH RECURSIVE tree (dept_id) AS (
    SELECT @dept
    UNION
    SELECT dept.dept_id
    FROM tree JOIN dept ON dept.parent_id = tree.dept_id
)
`

const (
	behind = "person.username > @after"
	begins = "(person.username BETWEEN @prefix AND @end OR person.name BETWEEN @prefix AND @end)"
	page   = "\nORDER BY username\nLIMIT @size"
)

// walk finds the usernames of the page first and reads only their rows.
func (k filterKey) walk() string {
	binds := k.binds("after", "size")
	if k.prefix {
		binds = append(binds, "prefix", "end")
	}
	text := "-- name: walk_people\n"
	if k.dept {
		text += tree
	}
	return store.SQLite.Bind(text+"SELECT "+personColumns.List()+
		"\nFROM ("+k.keys()+") AS page CROSS JOIN person USING (username)\nORDER BY username", binds...)
}

// keys reads an index from its place on where there is one filter at most. The order of the tables is said, so
// that no plan reads everybody to find a few.
func (k filterKey) keys() string {
	where := "\nWHERE " + behind
	if k.prefix {
		where += " AND " + begins
	}
	switch {
	case k.role:
		if k.dept {
			where += " AND person.dept_id IN (SELECT dept_id FROM tree)"
		}
		return "SELECT person.username\nFROM role_member CROSS JOIN person USING (user_id)" + where + " AND role_id = @role" + page
	case k.dept:
		return "SELECT person.username\nFROM tree CROSS JOIN person USING (dept_id)" + where + page
	case k.prefix:
		part := func(column string) string {
			return "SELECT username\nFROM person\nWHERE " + behind + " AND " + column + " BETWEEN @prefix AND @end"
		}
		return part("username") + "\nUNION\n" + part("name") + page
	default:
		return "SELECT username\nFROM person" + where + page
	}
}

// selected is all who match.
func (k filterKey) selected() string {
	text, from, where := "-- name: select_people\n", "tree CROSS JOIN person USING (dept_id)", "true"
	if k.dept {
		text += tree
	}
	if k.role {
		from = "role_member CROSS JOIN person USING (user_id)"
		if where = "role_id = @role"; k.dept {
			where += " AND person.dept_id IN (SELECT dept_id FROM tree)"
		}
	}
	return store.SQLite.Bind(text+"SELECT person.username\nFROM "+from+"\nWHERE "+where+"\nLIMIT @limit", k.binds("limit")...)
}
