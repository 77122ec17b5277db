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

// listQuery is the whole list: total, keys and records in one statement, which is one snapshot and one
// round trip.
func listQuery(p inbox.ListParams) (query string, args []any) {
	where, args := conditions(p)
	count := "SELECT count(*) AS n" + tables(p, "") + narrow(where, p.Status)
	keys := keysQuery(p, where, len(args))
	return fmt.Sprintf(selectRecords, count, keys, order(p)), append(args, p.Page.Size, p.Page.Offset())
}

// keysQuery selects the keys of a page in order, and after them what they are ordered by. The binds of
// where come before its own.
//
// Without a status, inbox_list holds a user's rows as two ranges that are each in the default order;
// a UNION ALL of the two lets PostgreSQL merge them instead of sorting all. It sees that only when each
// range says its order.
func keysQuery(p inbox.ListParams, where []string, binds int) string {
	column := sortColumns[p.Sort.Field]
	fields := "SELECT i.username, i.body_id AS body, " + column + " AS sort_key"
	if p.Username == "" {
		fields += ", i.ordinal AS place"
	}
	ordered := func(status inbox.Status) string {
		return fields + tables(p, column) + narrow(where, status) + order(p)
	}
	limit := fmt.Sprintf("\nLIMIT $%d OFFSET $%d", binds+1, binds+2)
	if p.Username != "" && p.Status == 0 && p.Sort.Field == inbox.SortOccurredAt {
		return "(" + ordered(inbox.Unread) + ")\nUNION ALL\n(" + ordered(inbox.Read) + ")" + order(p) + limit
	}
	return ordered(p.Status) + limit
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
