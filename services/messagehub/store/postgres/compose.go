package postgres

import (
	"fmt"
	"strconv"
	"strings"

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

// listQuery is the whole list: total, page and records in one statement, which is one snapshot and one
// round trip.
func listQuery(p inbox.ListParams) (query string, args []any) {
	where, args := conditions(p)
	count := "SELECT count(*) AS n" + tables(p, "") + narrow(where, p.Status)
	size, offset := "$"+strconv.Itoa(len(args)+1), "$"+strconv.Itoa(len(args)+2)
	part := order(p) + "\nLIMIT " + size + " OFFSET " + offset
	var page string
	if flat(p) && p.Page.Number < shallowPages {
		page = fmt.Sprintf(joinRows, shallowQuery(p, where, size+"::bigint + "+offset+"::bigint")+part)
	} else {
		page = fmt.Sprintf(joinKeys, keysQuery(p, where)+part)
	}
	return fmt.Sprintf(selectRecords, count, page, order(p)), append(args, p.Page.Size, p.Page.Offset())
}

// flat tells whether inbox_list has the records of a list in its order, so that a page takes about the
// same time however many there are.
func flat(p inbox.ListParams) bool {
	return p.Username != "" && p.SourceAppID == "" && p.SourceMessageID == "" && p.Sort.Field == inbox.SortOccurredAt
}

// shallowPages is the number of pages of a flat list that read no more blocks with the records in front
// of them than by their keys.
const shallowPages = 4

// keysQuery selects the keys of all pages, and after them what they are ordered by. They come from as
// narrow rows as the query allows, from the index alone where the list is flat, so that the records
// before a deep page cost little.
func keysQuery(p inbox.ListParams, where []string) string {
	column := sortColumns[p.Sort.Field]
	fields := "SELECT i.username, i.body_id AS body, " + column + " AS sort_key"
	if p.Username == "" {
		fields += ", i.ordinal AS place"
	}
	from := fields + tables(p, column)
	if p.Username != "" && p.Status == 0 && p.Sort.Field == inbox.SortOccurredAt {
		return ranges(p, from, where, "")
	}
	return from + narrow(where, p.Status)
}

// shallowQuery selects the rows of inbox up to the end of the page, as the index scan finds them. The
// scan's limit is hidden from the planner, which then takes it to be a tenth of the list: so it reads the
// index in order, instead of sorting what it takes for few rows, and finds nothing to gain from a plan of
// its own for each call.
func shallowQuery(p inbox.ListParams, where []string, end string) string {
	const columns = "SELECT i.message_id, i.body_id, i.ordinal, i.status, i.occurred_at, i.read_at, i.username, i.modifier, "
	from := columns + "i.body_id AS body, i.occurred_at AS sort_key\nFROM inbox AS i"
	return columns + "i.body, i.sort_key\nFROM (" + ranges(p, from, where, "\nLIMIT (SELECT "+end+")") + ") AS i"
}

// ranges are the parts of inbox_list with the rows of a named user, each of which is in the default order
// and ends at the limit. Without a status there are two; a UNION ALL lets PostgreSQL merge them instead of
// sorting all. It sees that only when each says its order.
func ranges(p inbox.ListParams, from string, where []string, limit string) string {
	if p.Status != 0 {
		return from + narrow(where, p.Status) + order(p) + limit
	}
	return "(" + from + narrow(where, inbox.Unread) + order(p) + limit + ")\nUNION ALL\n(" +
		from + narrow(where, inbox.Read) + order(p) + limit + ")"
}

// order puts the record's id behind the sort key, in the same direction.
func order(p inbox.ListParams) string {
	direction, nulls := " ASC", ""
	if p.Sort.Descending {
		direction = " DESC"
	}
	if p.Sort.Field == inbox.SortReadAt {
		nulls = " NULLS LAST"
	}
	by := "\nORDER BY sort_key" + direction + nulls + ", body" + direction
	if p.Username == "" {
		// A body has at most one row for one user, but many for all.
		by += ", place" + direction
	}
	return by
}

// tables joins what the filters and the column need.
func tables(p inbox.ListParams, column string) string {
	from := "\nFROM inbox AS i"
	if p.SourceMessageID != "" || p.SourceAppID != "" || strings.Contains(column, "m.") {
		from += "\nJOIN message AS m ON m.id = i.message_id"
	}
	if strings.Contains(column, "b.") {
		from += "\nJOIN body AS b ON b.id = i.body_id"
	}
	return from
}

// conditions are the filters that are set, but for the status.
func conditions(p inbox.ListParams) (where []string, args []any) {
	add := func(column, value string) {
		if value != "" {
			args = append(args, value)
			where = append(where, column+" = $"+strconv.Itoa(len(args)))
		}
	}
	add("m.source_message_id", p.SourceMessageID)
	add("m.source_app_id", p.SourceAppID)
	add("i.username", p.Username)
	return where, args
}

// narrow adds a status to the conditions. As a number in the text, it lets the planner know how many
// rows have it.
func narrow(where []string, status inbox.Status) string {
	if status != 0 {
		where = append(where[:len(where):len(where)], "i.status = "+strconv.Itoa(int(status)))
	}
	if len(where) == 0 {
		return ""
	}
	return "\nWHERE " + strings.Join(where, " AND ")
}
