package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/todohub/internal/todo"
)

// Search reads the items in one statement, whose time is the context's as in List. It has the place of a heavy
// call, since many users take their time, and it sorts whatever matches where no user is named.
func (s *Store) Search(ctx context.Context, p todo.SearchParams) ([]todo.Item, error) {
	query, args := searchQuery(p)
	var items []todo.Item
	err := s.CallHeavy(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		var r row
		items = make([]todo.Item, 0, p.Size)
		_, err = pgx.ForEachRow(rows, r.fields()[:len(listed(p.Full))], func() error {
			items = append(items, r.item(rows.RawValues()))
			return nil
		})
		return err
	})
	return items, pg.Failed("search todos", err)
}

// searchKey is what the text of a search depends on.
type searchKey struct{ users, source, full, behind bool }

// searches are the texts of all searches.
var searches = func() map[searchKey]string {
	all := map[searchKey]string{}
	for bits := range 16 {
		k := searchKey{users: bits&1 > 0, source: bits&2 > 0, full: bits&4 > 0, behind: bits&8 > 0}
		all[k] = k.text()
	}
	return all
}()

func searchQuery(p todo.SearchParams) (query string, args []any) {
	k := searchKey{users: p.Usernames != nil, source: p.SourceSystem != "", full: p.Full, behind: p.After != nil}
	args = append(make([]any, 0, 7), numbers(p.Statuses), numbers(p.Types), p.Size)
	if k.users {
		args = append(args, p.Usernames)
	}
	if k.source {
		args = append(args, p.SourceSystem)
	}
	if k.behind {
		args = append(args, p.After.At, p.After.ID)
	}
	return searches[k], args
}

// numbers are those that are stored for words.
func numbers[W ~int32](words []W) []int16 {
	list := make([]int16, len(words))
	for i, w := range words {
		list[i] = int16(w) //nolint:gosec // there are three of them at most
	}
	return list
}

// binds are the names of the values that searchQuery gives.
func (k searchKey) binds() []string {
	binds := []string{"statuses", "types", "size"}
	if k.users {
		binds = append(binds, "users")
	}
	if k.source {
		binds = append(binds, "source")
	}
	if k.behind {
		binds = append(binds, "at", "id")
	}
	return binds
}

// newestFirst is todo.DefaultSort.
const newestFirst = "\nORDER BY modify_time DESC, id DESC"

// text finds the keys of the page, and then only their rows.
func (k searchKey) text() string {
	page := k.sorted()
	if k.users && !k.source {
		page = k.ofUsers()
	}
	return store.PostgreSQL.Bind("-- name: search_todos\nSELECT "+listed(k.full).List()+"\nFROM todo\nJOIN (\n"+page+
		"\n) AS page USING (id)"+newestFirst, k.binds()...)
}

// sorted takes the page from whatever matches. That serves users and a source better, too: todo_list has no
// sources, so that a range may have to be read to its end.
func (k searchKey) sorted() string {
	where := "\nWHERE status = ANY (@statuses::smallint[]) AND type = ANY (@types::smallint[])"
	if k.users {
		where += " AND assignee_username = ANY (@users::text[])"
	}
	if k.source {
		where += " AND source_system = @source"
	}
	return "SELECT id\nFROM todo" + where + k.behindPlace() + newestFirst + "\nLIMIT @size"
}

// ofUsers takes the first item of each range of todo_list that a user, a status and a type have, and then a
// page of each of the foremost ranges alone: so many others begin in front of the rest. The limit of these is
// hidden from the planner for the reason that rows has.
func (k searchKey) ofUsers() string {
	return `SELECT item.id
FROM (
    SELECT username, u_status, u_type
    FROM unnest(@users::text[]) AS u (username), unnest(@statuses::smallint[]) AS s (u_status),
        unnest(@types::smallint[]) AS t (u_type), LATERAL (` + k.ofRange() + `
LIMIT 1
    ) AS head` + newestFirst + `
LIMIT @size
) AS u, LATERAL (` + k.ofRange() + `
LIMIT (SELECT @size::bigint)
) AS item` + newestFirst + `
LIMIT @size`
}

func (k searchKey) ofRange() string {
	return "\nSELECT modify_time, id\nFROM todo\nWHERE assignee_username = username AND status = u_status AND type = u_type" +
		k.behindPlace() + newestFirst
}

// behindPlace is the condition of a search that does not begin at the start.
func (k searchKey) behindPlace() string {
	if !k.behind {
		return ""
	}
	return " AND (modify_time, id) < (@at, @id)"
}
