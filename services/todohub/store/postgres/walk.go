package postgres

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/todohub/internal/todo"
)

// Walk reads the items behind a place in one statement, whose time is the context's as in List.
func (s *Store) Walk(ctx context.Context, p todo.WalkParams) ([]todo.Item, error) {
	query, args := walkQuery(p)
	call := s.CallHeavy
	if flat(p.ListParams) {
		call = s.Call
	}
	var items []todo.Item
	err := call(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		var r row
		items = make([]todo.Item, 0, p.Page.Size)
		_, err = pgx.ForEachRow(rows, r.fields()[:len(listed(p.Full))], func() error {
			items = append(items, r.item(rows.RawValues()))
			return nil
		})
		return err
	})
	return items, pg.Failed("walk todos", err)
}

// walkKey is what the text of a walk depends on.
type walkKey struct {
	listKey
	// anyStatus has no filter of the status, and behind is not the start of the list.
	anyStatus, behind bool
}

// walks are the texts of all walks.
var walks = func() map[walkKey]string {
	all := map[walkKey]string{}
	for _, field := range todo.CursorSortFields() {
		for bits := range 32 {
			k := walkKey{
				listKey:   listKey{assigned: bits&1 > 0, full: bits&16 > 0, sort: todo.Sort{Field: field, Descending: bits&2 > 0}},
				anyStatus: bits&4 > 0, behind: bits&8 > 0,
			}
			all[k] = k.text()
		}
	}
	return all
}()

func walkQuery(p todo.WalkParams) (query string, args []any) {
	k := walkKey{
		listKey:   listKey{assigned: p.AssigneeUsername != "", full: p.Full, sort: p.Sort},
		anyStatus: p.Status == 0, behind: p.After != nil,
	}
	args = append(make([]any, 0, 6), p.Type, p.Page.Size)
	if k.assigned {
		args = append(args, p.AssigneeUsername)
	}
	if !k.anyStatus {
		args = append(args, p.Status)
	}
	if k.behind {
		args = append(args, p.After.ID)
		if p.Sort.Field != todo.SortID {
			args = append(args, p.After.At)
		}
	}
	return walks[k], args
}

// binds are the names of the values that walkQuery gives.
func (k walkKey) binds() []string {
	binds := []string{"type", "size"}
	if k.assigned {
		binds = append(binds, "assignee")
	}
	if !k.anyStatus {
		binds = append(binds, "status")
	}
	if k.behind {
		binds = append(binds, "id")
		if k.sort.Field != todo.SortID {
			binds = append(binds, "at")
		}
	}
	return binds
}

// text reads no more than the page where todo_list has the items in order.
func (k walkKey) text() string {
	var parts []string
	for _, status := range k.statuses() {
		parts = append(parts, "("+k.part(status)+")")
	}
	return store.PostgreSQL.Bind("-- name: walk_todos\nSELECT "+k.columns().List()+"\nFROM ("+
		strings.Join(parts, "\nUNION ALL\n")+") AS todo"+k.order()+"\nLIMIT @size", k.binds()...)
}

// statuses are the conditions of the ranges of a walk: one range, or where todo_list has the items of each
// status in order three, which PostgreSQL merges.
func (k walkKey) statuses() []string {
	switch {
	case !k.anyStatus:
		return []string{"status = @status AND "}
	case k.assigned && k.sort.Field == todo.SortModifyTime:
		var each []string
		for _, status := range []todo.Status{todo.Open, todo.Cleared, todo.Invalid} {
			each = append(each, "status = "+strconv.Itoa(int(status))+" AND ")
		}
		return each
	default:
		return []string{""}
	}
}

// part is the page of one range. Its limit is hidden from the planner for the reason that rows has.
func (k walkKey) part(status string) string {
	where := "\nWHERE " + status + "type = @type"
	if k.assigned {
		where += " AND assignee_username = @assignee"
	}
	if k.behind {
		where += " AND " + k.place()
	}
	return "SELECT " + k.columns().List() + "\nFROM todo" + where + k.order() + "\nLIMIT (SELECT @size::bigint)"
}

// place compares the sort key and the id at once, so that an index can begin behind the place.
func (k walkKey) place() string {
	than := " > "
	if k.sort.Descending {
		than = " < "
	}
	if k.sort.Field == todo.SortID {
		return "id" + than + "@id"
	}
	return "(" + sortColumns[k.sort.Field] + ", id)" + than + "(@at, @id)"
}
