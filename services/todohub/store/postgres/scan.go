package postgres

import (
	"github.com/jackc/pgx/v5"

	"example.com/hub/services/todohub/internal/todo"
)

// row is where the columns of a row go.
type row struct {
	todo.Item
	kind, status int16
}

// fields are in the order of columns.
func (r *row) fields() []any {
	i := &r.Item
	return []any{
		&i.ID, &r.kind, &r.status, &i.DueAt, &i.ClearedAt, &i.CreateTime, &i.ModifyTime,
		&i.SourceSystem, &i.SourceBizID, &i.AssigneeUsername, &i.InitiatorUsername,
		&i.Title, &i.Summary, &i.Category, &i.ActionURL,
		&i.Result, &i.ClearedBy, &i.Reason, &i.CreatorID, &i.ModifierID,
	}
}

func (r *row) item() todo.Item {
	i := r.Item
	i.Type, i.Status = todo.Type(r.kind), todo.Status(r.status)
	return i
}

// scan reads the columns of one row.
func scan(rows pgx.CollectableRow) (todo.Item, error) {
	var r row
	err := rows.Scan(r.fields()...)
	return r.item(), err
}
