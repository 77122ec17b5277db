package postgres

import (
	"github.com/jackc/pgx/v5"

	"example.com/hub/services/todohub/internal/todo"
)

// fields are where the columns go.
func fields(i *todo.Item) []any {
	return []any{
		&i.ID, &i.Type, &i.Status, &i.DueAt, &i.ClearedAt, &i.CreateTime, &i.ModifyTime,
		&i.SourceSystem, &i.SourceBizID, &i.AssigneeUsername, &i.InitiatorUsername,
		&i.Title, &i.Summary, &i.Category, &i.ActionURL,
		&i.Result, &i.ClearedBy, &i.Reason, &i.CreatorID, &i.ModifierID,
	}
}

// scan reads the columns of one row.
func scan(rows pgx.CollectableRow) (todo.Item, error) {
	var i todo.Item
	err := rows.Scan(fields(&i)...)
	return i, err
}
