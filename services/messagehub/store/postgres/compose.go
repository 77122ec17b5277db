package postgres

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
	inbox.SortModifyTime:  "GREATEST(b.create_time, i.read_at)",
	inbox.SortReadAt:      "i.read_at",
	inbox.SortCategory:    "b.category",
	inbox.SortSourceAppID: "m.source_app_id",
	inbox.SortID:          "i.body_id",
}

// listKey is what the text of a list depends on.
type listKey struct {
	user, app, message, shallow bool
	status                      inbox.Status
	sort                        inbox.Sort
}

// lists are the texts of all lists.
var lists = func() map[listKey]string {
	all := map[listKey]string{}
	for _, field := range inbox.SortFields() {
		for _, status := range []inbox.Status{0, inbox.Unread, inbox.Read} {
			for bits := range 16 {
				k := listKey{
					user: bits&1 > 0, app: bits&2 > 0, message: bits&4 > 0,
					status: status, sort: inbox.Sort{Field: field, Descending: bits&8 > 0},
				}
				all[k] = k.text()
				if k.flat() {
					k.shallow = true
					all[k] = k.text()
				}
			}
		}
	}
	return all
}()

func listQuery(k listKey, p inbox.ListParams) (query string, args []any) {
	args = make([]any, 0, 5)
	for _, value := range []string{p.SourceMessageID, p.SourceAppID, p.Username} {
		if value != "" {
			args = append(args, value)
		}
	}
	return lists[k], append(args, p.Page.Size, p.Page.Offset())
}

func keyOf(p inbox.ListParams) listKey {
	return listKey{
		user: p.Username != "", app: p.SourceAppID != "", message: p.SourceMessageID != "",
		status: p.Status, sort: p.Sort,
	}
}

// pageKey is keyOf for a page by its number.
func pageKey(p inbox.ListParams) listKey {
	k := keyOf(p)
	k.shallow = k.flat() && p.Page.Number < shallowPages
	return k
}

// flat tells whether inbox_list has the records of a list in its order, so that a page takes about the
// same time however many there are.
func (k listKey) flat() bool {
	return k.user && !k.app && !k.message && k.sort.Field == inbox.SortOccurredAt
}

// shallowPages is the number of pages of a flat list that read no more blocks with the records in front
// of them than by their keys.
const shallowPages = 4

// text is the whole list: the total in front of every record of the page, in one statement, which is one
// snapshot and one round trip. Only where the page is not shallow, one without records is one row of nulls
// behind the total: to join the total costs a sort of the page.
func (k listKey) text() string {
	total := "SELECT count(*) AS n" + k.tables("") + k.where(k.status)
	list := "-- name: select_records\nSELECT total.n, " + columns.List() + `
FROM (` + total + `) AS total
LEFT JOIN (` + k.keys() + `) ON true` + k.order()
	if k.shallow {
		list = "-- name: select_records\nSELECT (" + total + "), " + columns.List() + "\nFROM " + k.rows() + k.order()
	}
	return store.PostgreSQL.Bind(list, append(k.filters(), "size", "offset")...)
}

// keys finds the keys of the page first and reads only their records. The keys come from as narrow rows as
// the query allows, from the index alone where the list is flat, so that the records before a deep page
// cost little.
func (k listKey) keys() string {
	column := sortColumns[k.sort.Field]
	fields := "SELECT i.username, i.body_id AS body, " + column + " AS sort_key"
	if !k.user {
		fields += ", i.ordinal AS place"
	}
	return `(` + k.ranges(fields+k.tables(column), "") + k.order() + `
LIMIT @size OFFSET @offset) AS k
    JOIN body AS b ON b.id = k.body
    JOIN inbox AS i ON i.message_id = b.message_id AND i.username = k.username
    JOIN message AS m ON m.id = b.message_id`
}

// rows takes the records of the page from the index scan that finds them, and reads those in front of the
// page, too. The scan's limit is hidden from the planner, which then takes it to be a tenth of the list: so
// it reads the index in order, instead of sorting what it takes for few rows, and finds nothing to gain
// from a plan of its own for each call.
func (k listKey) rows() string {
	const fields = "SELECT i.message_id, i.body_id, i.ordinal, i.status, i.occurred_at, i.read_at, i.username, i.modifier, "
	const from = fields + "i.body_id AS body, i.occurred_at AS sort_key\nFROM inbox AS i"
	return `(` + fields + `i.body, i.sort_key
FROM (` + k.ranges(from, "\nLIMIT (SELECT @size::bigint + @offset::bigint)") + `) AS i` + k.order() + `
LIMIT @size OFFSET @offset) AS i
    JOIN body AS b ON b.id = i.body_id
    JOIN message AS m ON m.id = i.message_id`
}

// ranges are the parts of inbox_list with the rows of a flat list, each of which is in the default order
// and ends at the limit. Without a status there are two; a UNION ALL lets PostgreSQL merge them instead of
// sorting all. It sees that only when each says its order. Other lists have one part in no order.
func (k listKey) ranges(from, limit string) string {
	switch {
	case k.user && k.status == 0 && k.sort.Field == inbox.SortOccurredAt:
		return "(" + from + k.where(inbox.Unread) + k.order() + limit + ")\nUNION ALL\n(" +
			from + k.where(inbox.Read) + k.order() + limit + ")"
	case k.shallow:
		return from + k.where(k.status) + k.order() + limit
	default:
		return from + k.where(k.status)
	}
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
		by += ", place" + direction
	}
	return by
}

// tables joins what the filters and the column need.
func (k listKey) tables(column string) string {
	from := "\nFROM inbox AS i"
	if k.message || k.app || strings.Contains(column, "m.") {
		from += "\nJOIN message AS m ON m.id = i.message_id"
	}
	if strings.Contains(column, "b.") {
		from += "\nJOIN body AS b ON b.id = i.body_id"
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

// where has the filters that are set. A status as a number in the text lets the planner know how many rows
// have it.
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
