package sqlite

import (
	"strings"

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

// countQuery counts the records that match.
func countQuery(p inbox.ListParams) (query string, args []any) {
	where, args := conditions(p, p.Status)
	return "-- name: count_records\nSELECT count(*)" + tables(p, "") + where, args
}

// keysQuery selects the keys of a page in order, and after them what they are ordered by.
//
// Without a status, inbox_list holds a user's rows as two ranges that are each in the default order;
// a UNION ALL of the two lets SQLite merge them instead of sorting all.
func keysQuery(p inbox.ListParams) (query string, args []any) {
	statuses := []inbox.Status{p.Status}
	if p.Username != "" && p.Status == 0 && p.Sort.Field == inbox.SortOccurredAt {
		statuses = []inbox.Status{inbox.Unread, inbox.Read}
	}
	column := sortColumns[p.Sort.Field]
	var arms []string
	for _, status := range statuses {
		where, values := conditions(p, status)
		arms = append(arms, "SELECT i.message_id, i.username, "+column+" AS sort_key, i.body_id AS body"+
			tables(p, column)+where)
		args = append(args, values...)
	}
	return "-- name: select_keys\n" + strings.Join(arms, "\nUNION ALL\n") + order(p) + "\nLIMIT ? OFFSET ?",
		append(args, p.Page.Size, p.Page.Offset())
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
		by += ", i.ordinal" + direction
	}
	return by
}

// tables joins what the filters and the column need. CROSS JOIN keeps SQLite to the written order.
func tables(p inbox.ListParams, column string) string {
	from := "\nFROM inbox AS i"
	switch {
	case p.SourceMessageID != "":
		// Few messages have the id, so they are the way to the records.
		from = "\nFROM message AS m\nCROSS JOIN inbox AS i ON i.message_id = m.id"
	case p.SourceAppID != "" || strings.HasPrefix(column, "m."):
		from += "\nCROSS JOIN message AS m ON m.id = i.message_id"
	}
	if strings.HasPrefix(column, "b.") {
		from += "\nCROSS JOIN body AS b ON b.id = i.body_id"
	}
	return from
}

// conditions are the filters that are set.
func conditions(p inbox.ListParams, status inbox.Status) (where string, args []any) {
	var list []string
	add := func(condition string, value any) {
		list = append(list, condition)
		args = append(args, value)
	}
	if p.SourceMessageID != "" {
		add("m.source_message_id = ?", p.SourceMessageID)
	}
	if p.SourceAppID != "" {
		add("m.source_app_id = ?", p.SourceAppID)
	}
	if p.Username != "" {
		add("i.username = ?", p.Username)
	}
	if status != 0 {
		add("i.status = ?", int64(status))
	}
	if len(list) == 0 {
		return "", nil
	}
	return "\nWHERE " + strings.Join(list, " AND "), args
}
