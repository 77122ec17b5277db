package sqlite

import (
	"example.com/hub/pkg/store"
	"example.com/hub/services/todohub/internal/todo"
)

// sortColumns are what a list is ordered by.
var sortColumns = map[todo.SortField]string{
	todo.SortModifyTime:   "modify_time",
	todo.SortCreateTime:   "create_time",
	todo.SortDueAt:        "due_at",
	todo.SortClearedAt:    "cleared_at",
	todo.SortTitle:        "title",
	todo.SortCategory:     "category",
	todo.SortSourceSystem: "source_system",
	todo.SortID:           "id",
}

// listKey is what the text of a list depends on.
type listKey struct {
	assigned, shallow, full bool
	sort                    todo.Sort
}

func (k listKey) columns() store.Columns {
	if k.full {
		return columns
	}
	return brief
}

func keyOf(p todo.ListParams) listKey {
	return listKey{assigned: p.AssigneeUsername != "", full: p.Full, sort: p.Sort}
}

func listOf(p todo.ListParams) listKey {
	k := keyOf(p)
	k.shallow = k.assigned && k.sort.Field == todo.SortModifyTime && p.Page.Number < shallowPages
	return k
}

// filterArgs are the binds of a total, and the first ones of a page.
func filterArgs(p todo.ListParams) []any {
	args := append(make([]any, 0, 5), p.Status, p.Type)
	if p.AssigneeUsername != "" {
		args = append(args, p.AssigneeUsername)
	}
	return args
}

func (k listKey) filters() []string {
	if k.assigned {
		return []string{"status", "type", "assignee"}
	}
	return []string{"status", "type"}
}

// count counts the items that match.
func (k listKey) count() string {
	return store.SQLite.Bind(`-- name: count_todos
SELECT count(*)
FROM todo`+k.where(), k.filters()...)
}

// shallowPages is the number of pages that come straight from the index scan, which costs less than their keys
// first, but looks at the rows in front of the page, too.
const shallowPages = 4

// page has the total in front of every row, which one statement takes from one snapshot.
func (k listKey) page() string {
	rows := k.keys() + k.order()
	if k.shallow {
		rows = k.where() + k.order() + "\nLIMIT @size OFFSET @offset"
	}
	return store.SQLite.Bind(`-- name: list_todos
SELECT (SELECT count(*) FROM todo`+k.where()+`), `+k.columns().List()+`
FROM todo`+rows, append(k.filters(), "size", "offset")...)
}

// keys finds the keys of the page first and reads only their rows: in the default order of a named user,
// the index alone answers the first step, however deep the page is.
func (k listKey) keys() string {
	return `
WHERE id IN (
    SELECT id
    FROM todo` + k.where() + k.order() + `
    LIMIT @size OFFSET @offset
)`
}

func (k listKey) where() string {
	where := "\nWHERE status = @status AND type = @type"
	if k.assigned {
		where += " AND assignee_username = @assignee"
	}
	return where
}

// order puts the item's id behind the sort key, in the same direction. Columns that are never null say
// nothing about nulls, so that an index can serve them.
func (k listKey) order() string {
	direction, nulls := " ASC", ""
	if k.sort.Descending {
		direction = " DESC"
	}
	if k.sort.Field == todo.SortDueAt || k.sort.Field == todo.SortClearedAt {
		nulls = " NULLS LAST"
	}
	by := "\nORDER BY " + sortColumns[k.sort.Field] + direction + nulls
	if k.sort.Field != todo.SortID {
		by += ", id" + direction
	}
	return by
}
