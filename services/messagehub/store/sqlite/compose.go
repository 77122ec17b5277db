package sqlite

import (
	"strconv"
	"strings"

	"example.com/hub/pkg/store"
	"example.com/hub/services/messagehub/internal/inbox"
)

// sortColumns are what a list is ordered by.
var sortColumns = map[inbox.SortField]string{
	inbox.SortOccurredAt:  "i.occurred_at",
	inbox.SortCreateTime:  "b.create_time",
	inbox.SortModifyTime:  "i.modify_time",
	inbox.SortReadAt:      "i.read_at",
	inbox.SortCategory:    "b.category",
	inbox.SortSourceAppID: "m.source_app_id",
	inbox.SortID:          "i.body_id",
}

// listKey is what the text of a list depends on.
type listKey struct {
	user, app, message bool
	status             inbox.Status
	sort               inbox.Sort
}

// totals and pages are the texts of all lists. There are too many to have them prepared.
var totals, pages = func() (totals, pages map[listKey]string) {
	totals, pages = map[listKey]string{}, map[listKey]string{}
	for _, field := range inbox.SortFields() {
		for _, status := range []inbox.Status{0, inbox.Unread, inbox.Read} {
			for bits := range 16 {
				k := listKey{
					user: bits&1 > 0, app: bits&2 > 0, message: bits&4 > 0,
					status: status, sort: inbox.Sort{Field: field, Descending: bits&8 > 0},
				}
				totals[k], pages[k] = k.total(), k.page()
			}
		}
	}
	return totals, pages
}()

func keyOf(p inbox.ListParams) listKey {
	return listKey{
		user: p.Username != "", app: p.SourceAppID != "", message: p.SourceMessageID != "",
		status: p.Status, sort: p.Sort,
	}
}

// filterArgs are the binds of a total, and the first ones of a page.
func filterArgs(p inbox.ListParams) []any {
	args := make([]any, 0, 5)
	for _, value := range []string{p.SourceMessageID, p.SourceAppID, p.Username} {
		if value != "" {
			args = append(args, value)
		}
	}
	return args
}

// total counts the records that match.
func (k listKey) total() string {
	return store.SQLite.Bind("-- name: count_records\nSELECT count(*)"+k.tables("")+k.where(k.status), k.filters()...)
}

// page selects the keys of a page in order, and after them what they are ordered by. They come from as
// narrow rows as the query allows, from the index alone for the default order of a user, so that the
// records before a deep page cost little.
//
// Without a status, inbox_list holds a user's rows as two ranges that are each in the default order;
// a UNION ALL of the two lets SQLite merge them instead of sorting all.
func (k listKey) page() string {
	column := sortColumns[k.sort.Field]
	from := "SELECT i.message_id, i.username, " + column + " AS sort_key, i.body_id AS body" + k.tables(column)
	keys := from + k.where(k.status)
	if k.user && k.status == 0 && k.sort.Field == inbox.SortOccurredAt {
		keys = from + k.where(inbox.Unread) + "\nUNION ALL\n" + from + k.where(inbox.Read)
	}
	return store.SQLite.Bind("-- name: select_keys\n"+keys+k.order()+"\nLIMIT @size OFFSET @offset",
		append(k.filters(), "size", "offset")...)
}

// order puts the record's id behind the sort key, in the same direction. Columns that are never null say
// nothing about nulls, so that an index can serve them.
func (k listKey) order() string {
	direction, nulls := " ASC", ""
	if k.sort.Descending {
		direction = " DESC"
	}
	if k.sort.Field == inbox.SortReadAt {
		nulls = " NULLS LAST"
	}
	by := "\nORDER BY sort_key" + direction + nulls + ", body" + direction
	if !k.user {
		// A body has at most one row for one user, but many for all.
		by += ", i.ordinal" + direction
	}
	return by
}

// tables joins what the filters and the column need. CROSS JOIN keeps SQLite to the written order.
func (k listKey) tables(column string) string {
	from := "\nFROM inbox AS i"
	switch {
	case k.message:
		// Few messages have the id, so they are the way to the records.
		from = "\nFROM message AS m\nCROSS JOIN inbox AS i ON i.message_id = m.id"
	case k.app || strings.HasPrefix(column, "m."):
		from += "\nCROSS JOIN message AS m ON m.id = i.message_id"
	}
	if strings.HasPrefix(column, "b.") {
		from += "\nCROSS JOIN body AS b ON b.id = i.body_id"
	}
	return from
}

// filters are the binds of where.
func (k listKey) filters() (names []string) {
	if k.message {
		names = append(names, "source_message_id")
	}
	if k.app {
		names = append(names, "source_app_id")
	}
	if k.user {
		names = append(names, "username")
	}
	return names
}

// where has the filters that are set.
func (k listKey) where(status inbox.Status) string {
	var conditions []string
	if k.message {
		conditions = append(conditions, "m.source_message_id = @source_message_id")
	}
	if k.app {
		conditions = append(conditions, "m.source_app_id = @source_app_id")
	}
	if k.user {
		conditions = append(conditions, "i.username = @username")
	}
	if status != 0 {
		conditions = append(conditions, "i.status = "+strconv.Itoa(int(status)))
	}
	if len(conditions) == 0 {
		return ""
	}
	return "\nWHERE " + strings.Join(conditions, " AND ")
}
