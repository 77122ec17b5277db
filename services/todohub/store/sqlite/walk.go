package sqlite

import (
	"context"
	"strconv"
	"strings"

	"example.com/hub/pkg/store"
	"example.com/hub/services/todohub/internal/todo"
)

// Walk reads the items behind a place in one statement.
func (s *Store) Walk(ctx context.Context, p todo.WalkParams) ([]todo.Item, error) {
	k, args := walkOf(p)
	stmt, err := s.walks.Of(ctx, k)
	if err != nil {
		return nil, s.file.Failed(ctx, "walk todos", err)
	}
	items, err := page(ctx, stmt, k.listKey, args)
	if err != nil {
		return nil, s.file.Failed(ctx, "walk todos", err)
	}
	return items, nil
}

// walkKey is what the text of a walk depends on.
type walkKey struct {
	listKey
	// anyStatus has no filter of the status, and behind is not the start of the list.
	anyStatus, behind bool
}

func walkOf(p todo.WalkParams) (k walkKey, args []any) {
	k = walkKey{listKey: keyOf(p.ListParams), anyStatus: p.Status == 0, behind: p.After != nil}
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
			args = append(args, micros(p.After.At))
		}
	}
	return k, args
}

// binds are the names of the values that walkOf gives.
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
		parts = append(parts, k.part(status))
	}
	return store.SQLite.Bind("-- name: walk_todos\n"+strings.Join(parts, "\nUNION ALL\n")+k.order()+"\nLIMIT @size", k.binds()...)
}

// statuses are the conditions of the ranges of a walk: one range, or where todo_list has the items of each
// status in order three, which SQLite merges.
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

// part is one range.
func (k walkKey) part(status string) string {
	where := "\nWHERE " + status + "type = @type"
	if k.assigned {
		where += " AND assignee_username = @assignee"
	}
	if k.behind {
		where += " AND " + k.place()
	}
	return "SELECT " + k.columns().List() + "\nFROM todo" + where
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
