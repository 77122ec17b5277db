package postgres

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

func (k listKey) columns() store.Columns { return listed(k.full) }

// listed are the columns of a list.
func listed(full bool) store.Columns {
	if full {
		return columns
	}
	return brief
}

// lists are the texts of all lists.
var lists = func() map[listKey]string {
	all := map[listKey]string{}
	for _, field := range todo.SortFields() {
		for _, descending := range []bool{false, true} {
			sort := todo.Sort{Field: field, Descending: descending}
			for _, full := range []bool{false, true} {
				for _, k := range []listKey{{}, {assigned: true}, {assigned: true, shallow: true}} {
					k.full, k.sort = full, sort
					all[k] = k.text()
				}
			}
		}
	}
	return all
}()

func keyOf(p todo.ListParams) listKey {
	return listKey{
		assigned: p.AssigneeUsername != "", shallow: flat(p) && p.Page.Number < shallowPages, full: p.Full, sort: p.Sort,
	}
}

func listQuery(k listKey, p todo.ListParams) (query string, args []any) {
	args = append(make([]any, 0, 5), p.Status, p.Type)
	if k.assigned {
		args = append(args, p.AssigneeUsername)
	}
	return lists[k], append(args, p.Page.Size, p.Page.Offset())
}

// flat tells whether todo_list has the items of a list in its order, so that a page takes about the same
// time however many there are.
func flat(p todo.ListParams) bool {
	return p.AssigneeUsername != "" && p.Sort.Field == todo.SortModifyTime
}

// shallowPages is the number of pages that read no more blocks with the rows in front of them than by
// their keys. In time the two are even later: measured with everything in memory, at the tenth page of 20.
const shallowPages = 4

// text is the whole list: the total in front of every row of the page, in one statement, which is one
// snapshot and one round trip. Only where the page is not shallow, one without items is one row of nulls
// behind the total: to join the total costs a sort of the page.
func (k listKey) text() string {
	binds := []string{"status", "type"}
	if k.assigned {
		binds = append(binds, "assignee")
	}
	total := "SELECT count(*) AS n FROM todo" + k.where()
	list := "-- name: list_todos\nSELECT total.n, " + k.columns().List() + `
FROM (` + total + `) AS total
LEFT JOIN ` + k.keys() + ` ON true` + k.order()
	if k.shallow {
		list = "-- name: list_todos\nSELECT (" + total + "), " + k.columns().List() + k.rows()
	}
	return store.PostgreSQL.Bind(list, append(binds, "size", "offset")...)
}

// keys finds the keys of the page first and reads only their rows: in the default order of a named user,
// the index alone answers the first step, however deep the page is.
func (k listKey) keys() string {
	return `(
    todo JOIN (SELECT id FROM todo` + k.where() + k.order() + `
LIMIT @size OFFSET @offset) AS page USING (id)
)`
}

// rows takes the items of the page from the index scan that finds them, and reads those in front of the
// page, too. That is a block for each item, and for each of the page three less than keys, which goes down
// a second index. The scan's limit is hidden from the planner, which then takes it to be a tenth of the
// list: so it reads the index in order, instead of sorting what it takes for few items, and finds nothing
// to gain from a plan of its own for each call.
func (k listKey) rows() string {
	return `
FROM (
    SELECT ` + k.columns().List() + `
    FROM todo` + k.where() + k.order() + `
LIMIT (SELECT @size::bigint + @offset::bigint)
) AS front` + k.order() + `
LIMIT @size OFFSET @offset`
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
