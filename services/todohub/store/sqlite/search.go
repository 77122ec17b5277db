package sqlite

import (
	"context"
	"encoding/json"

	"example.com/hub/pkg/store"
	"example.com/hub/services/todohub/internal/todo"
)

// Search reads the items in one statement.
func (s *Store) Search(ctx context.Context, p todo.SearchParams) ([]todo.Item, error) {
	k, args, err := searchOf(p)
	if err != nil {
		return nil, err
	}
	stmt, err := s.searches.Of(ctx, k)
	if err != nil {
		return nil, s.file.Failed(ctx, "search todos", err)
	}
	items, err := page(ctx, stmt, listKey{full: k.full}, args)
	if err != nil {
		return nil, s.file.Failed(ctx, "search todos", err)
	}
	return items, nil
}

// searchKey is what the text of a search depends on.
type searchKey struct{ users, source, full, behind bool }

// searchOf gives lists as JSON arrays.
func searchOf(p todo.SearchParams) (k searchKey, args []any, err error) {
	k = searchKey{users: p.Usernames != nil, source: p.SourceSystem != "", full: p.Full, behind: p.After != nil}
	lists := []any{p.Statuses, p.Types}
	if k.users {
		lists = append(lists, p.Usernames)
	}
	for _, list := range lists {
		text, err := json.Marshal(list)
		if err != nil {
			return k, nil, err
		}
		args = append(args, string(text))
	}
	args = append(args, p.Size)
	if k.source {
		args = append(args, p.SourceSystem)
	}
	if k.behind {
		args = append(args, micros(p.After.At), p.After.ID)
	}
	return k, args, nil
}

// binds are the names of the values that searchOf gives.
func (k searchKey) binds() []string {
	binds := []string{"statuses", "types"}
	if k.users {
		binds = append(binds, "users")
	}
	binds = append(binds, "size")
	if k.source {
		binds = append(binds, "source")
	}
	if k.behind {
		binds = append(binds, "at", "id")
	}
	return binds
}

// newest is todo.DefaultSort of the rows of a table.
func newest(table string) string {
	return "\nORDER BY " + table + ".modify_time DESC, " + table + ".id DESC"
}

// text finds the keys of the page, and then only their rows.
func (k searchKey) text() string {
	page := k.sorted()
	if k.users && !k.source {
		page = k.ofUsers()
	}
	return store.SQLite.Bind("-- name: search_todos\nSELECT "+listKey{full: k.full}.columns().List()+"\nFROM todo\nWHERE id IN (\n"+page+
		"\n)"+newest("todo"), k.binds()...)
}

// sorted takes the page from whatever matches, also of users and a source: todo_list has no sources.
func (k searchKey) sorted() string {
	where := "\nWHERE status IN (SELECT value FROM json_each(@statuses)) AND type IN (SELECT value FROM json_each(@types))"
	if k.users {
		where += " AND assignee_username IN (SELECT value FROM json_each(@users))"
	}
	if k.source {
		where += " AND source_system = @source"
	}
	return "SELECT id\nFROM todo" + where + k.behindPlace() + newest("todo") + "\nLIMIT @size"
}

// ofUsers takes the first item of each range of todo_list that a user, a status and a type have, and then a
// page of each of the foremost ranges alone: so many others begin in front of the rest.
func (k searchKey) ofUsers() string {
	return `SELECT item.id
FROM (
    SELECT u.value AS username, s.value AS u_status, t.value AS u_type
    FROM json_each(@users) AS u
    CROSS JOIN json_each(@statuses) AS s
    CROSS JOIN json_each(@types) AS t
    CROSS JOIN todo AS head ON head.id = (` + k.ofRange("u.value", "s.value", "t.value") + `
        LIMIT 1
    )` + newest("head") + `
    LIMIT @size
) AS u
CROSS JOIN todo AS item ON item.id IN (` + k.ofRange("u.username", "u.u_status", "u.u_type") + `
    LIMIT @size
)` + newest("item") + `
LIMIT @size`
}

func (k searchKey) ofRange(user, status, kind string) string {
	return "\nSELECT id\nFROM todo\nWHERE assignee_username = " + user + " AND status = " + status + " AND type = " + kind +
		k.behindPlace() + newest("todo")
}

// behindPlace is the condition of a search that does not begin at the start.
func (k searchKey) behindPlace() string {
	if !k.behind {
		return ""
	}
	return " AND (modify_time, id) < (@at, @id)"
}
