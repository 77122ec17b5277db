package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/portalhub/internal/people"
)

// WalkPeople reads the people behind a place in one statement. Its time is the context's: at the end of it, the
// driver cancels the statement at the server.
func (s *Store) WalkPeople(ctx context.Context, p people.WalkParams) ([]people.Person, error) {
	query, args := peopleWalk(p)
	call := s.CallHeavy
	if p.Filter == (people.Filter{}) && p.Prefix == "" {
		call = s.Call
	}
	var found []people.Person
	err := call(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		var r personRow
		found = make([]people.Person, 0, p.Size)
		_, err = pgx.ForEachRow(rows, r.fields(), func() error {
			found = append(found, r.person())
			return nil
		})
		return err
	})
	return found, pg.Failed("walk people", err)
}

// peopleWalk is the statement of a list.
func peopleWalk(p people.WalkParams) (query string, args []any) {
	k := filterOf(p.Filter, p.Prefix)
	args = append(make([]any, 0, 6), p.After, p.Size)
	args = append(args, filterArgs(p.Filter)...)
	if k.prefix {
		args = append(args, p.Prefix, p.End())
	}
	return peopleWalks[k], args
}

// SelectPeople reads names alone, in the time of the context.
func (s *Store) SelectPeople(ctx context.Context, f people.Filter, limit int) (names []string, err error) {
	err = s.CallHeavy(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, peopleSelects[filterOf(f, "")], append([]any{limit}, filterArgs(f)...)...)
		if err != nil {
			return err
		}
		names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return names, pg.Failed("select people", err)
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

// peopleWalks and peopleSelects are the texts of all lists.
var peopleWalks, peopleSelects = func() (walks, selects map[filterKey]string) {
	walks, selects = map[filterKey]string{}, map[filterKey]string{}
	for bits := range 8 {
		k := filterKey{dept: bits&1 > 0, role: bits&2 > 0, prefix: bits&4 > 0}
		walks[k] = k.walk()
		if !k.prefix && (k.dept || k.role) {
			selects[k] = k.selected()
		}
	}
	return walks, selects
}()

// tree is a department with all below it.
const tree = `WITH RECURSIVE tree (dept_id) AS (
    SELECT @dept::text COLLATE "C"
    UNION
    SELECT dept.dept_id
    FROM tree JOIN dept ON dept.parent_id = tree.dept_id
)
`

const (
	behind = "username > @after"
	begins = "(username BETWEEN @prefix AND @end OR name BETWEEN @prefix AND @end)"
	inTree = "dept_id IN (SELECT dept_id FROM tree)"
	page   = "\nORDER BY username\nLIMIT @size"
)

// walk finds the usernames of the page first and reads only their rows. The limit inside makes it do that for any
// size of a page, which a plan for all of them takes to be a tenth of everybody.
func (k filterKey) walk() string {
	binds := k.binds("after", "size")
	if k.prefix {
		binds = append(binds, "prefix", "end")
	}
	text := "-- name: walk_people\n"
	if k.dept {
		text += tree
	}
	return store.PostgreSQL.Bind(text+"SELECT "+personColumns.List()+"\nFROM ("+k.keys()+") AS page (place), LATERAL (\nSELECT "+
		personColumns.List()+"\nFROM person\nWHERE person.username = page.place\nLIMIT 1\n) AS found\nORDER BY place", binds...)
}

// keys reads an index from its place on where there is one filter at most. Those of a department come page by
// page from each department of the tree, so that no plan reads everybody to find a few.
func (k filterKey) keys() string {
	where := "\nWHERE " + behind
	if k.prefix {
		where += " AND " + begins
	}
	switch {
	case k.role:
		if k.dept {
			where += " AND " + inTree
		}
		return "SELECT username\nFROM role_member JOIN person USING (user_id)" + where + " AND role_id = @role" + page
	case k.dept:
		return "SELECT found.username\nFROM tree, LATERAL (\nSELECT username\nFROM person" + where +
			" AND dept_id = tree.dept_id" + page + "\n) AS found" + page
	case k.prefix:
		part := func(column string) string {
			return "(SELECT username\nFROM person\nWHERE " + behind + " AND " + column + " BETWEEN @prefix AND @end" + page + ")"
		}
		return part("username") + "\nUNION\n" + part("name") + page
	default:
		return "SELECT username\nFROM person" + where + page
	}
}

// selected is all who match.
func (k filterKey) selected() string {
	text, from, where := "-- name: select_people\n", "person", inTree
	if k.dept {
		text += tree
	}
	if k.role {
		from = "role_member JOIN person USING (user_id)"
		if where = "role_id = @role"; k.dept {
			where += " AND " + inTree
		}
	}
	return store.PostgreSQL.Bind(text+"SELECT username\nFROM "+from+"\nWHERE "+where+"\nLIMIT @limit", k.binds("limit")...)
}
