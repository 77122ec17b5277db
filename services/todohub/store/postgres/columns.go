package postgres

import (
	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store"
	"example.com/hub/services/todohub/internal/todo"
)

// columns are those of a row, in the order of row.fields.
var columns = store.Columns{
	"id", "type", "status", "due_at", "cleared_at", "create_time", "modify_time",
	"source_system", "source_biz_id", "assignee_username", "initiator_username",
	"title", "summary", "category", "action_url",
	"result", "cleared_by", "reason", "creator_id", "modifier_id",
}

// row is where the columns of a row go.
type row struct {
	todo.Item
	kind, status int16
}

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

// given are the columns of what an upsert reports, in the order of upsertArgs.
var given = store.Columns{
	"type", "due_at", "source_biz_id", "assignee_username", "initiator_username",
	"title", "summary", "category", "action_url",
}

// upsertArgs are the binds of upsertTodo.
func upsertArgs(p todo.UpsertParams, repeated bool) []any {
	return []any{
		p.Type, p.DueAt, p.SourceBizID, p.AssigneeUsername, p.InitiatorUsername,
		p.Title, p.Summary, p.Category, p.ActionURL,
		p.ID, todo.Open, p.Now, p.ClientID, p.Owner, repeated,
	}
}
