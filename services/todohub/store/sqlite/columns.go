package sqlite

import (
	"database/sql"
	"time"

	"example.com/hub/pkg/store"
	"example.com/hub/services/todohub/internal/todo"
)

// columns are those of a row, in the order of row.fields.
var columns = store.Columns{
	"id", "type", "status", "due_at", "cleared_at", "create_time", "modify_time",
	"source_system", "source_biz_id", "assignee_username", "initiator_username",
	"title", "summary", "category", "action_url",
	"result", "cleared_by", "reason", "creator_id", "modifier_id",
	"action_app_id", "event_center_ref", "source_version", "payload", "former_assignee",
}

// brief are the columns without the payload, which may lie apart from its row, and what only changes tell.
var brief = columns[:len(columns)-2]

// row is where the columns of a row go.
type row struct {
	todo.Item
	dueAt, clearedAt       sql.NullInt64
	createTime, modifyTime int64
	payload, former        sql.NullString
}

func (r *row) fields() []any {
	i := &r.Item
	return []any{
		&i.ID, &i.Type, &i.Status, &r.dueAt, &r.clearedAt, &r.createTime, &r.modifyTime,
		&i.SourceSystem, &i.SourceBizID, &i.AssigneeUsername, &i.InitiatorUsername,
		&i.Title, &i.Summary, &i.Category, &i.ActionURL,
		&i.Result, &i.ClearedBy, &i.Reason, &i.CreatorID, &i.ModifierID,
		&i.ActionAppID, &i.EventCenterRef, &i.SourceVersion, &r.payload, &r.former,
	}
}

func (r *row) item() todo.Item {
	i := r.Item
	i.DueAt, i.ClearedAt = optionalInstant(r.dueAt), optionalInstant(r.clearedAt)
	i.CreateTime, i.ModifyTime = instant(r.createTime), instant(r.modifyTime)
	i.Payload, i.FormerAssignee = r.payload.String, r.former.String
	return i
}

// kept are the columns of which an upsert does not know what they become, in the order of row.kept.
var kept = store.Columns{
	"status", "cleared_at", "create_time", "modify_time",
	"result", "cleared_by", "reason", "creator_id", "source_version", "former_assignee",
}

func (r *row) kept() []any {
	i := &r.Item
	return []any{
		&i.Status, &r.clearedAt, &r.createTime, &r.modifyTime,
		&i.Result, &i.ClearedBy, &i.Reason, &i.CreatorID, &i.SourceVersion, &r.former,
	}
}

// upserted is an item of which the kept columns were read, with what the upsert has set.
func upserted(i todo.Item, p *todo.UpsertParams) todo.Item {
	report := p.Report
	report.SourceVersion = i.SourceVersion
	i.Report, i.SourceSystem, i.ModifierID = report, p.ClientID, p.ClientID
	return i
}

// given are the columns of what an upsert reports, in the order of upsertArgs, but for the version, which
// stays where none is given.
var given = store.Columns{
	"type", "due_at", "source_biz_id", "assignee_username", "initiator_username",
	"title", "summary", "category", "action_url",
	"action_app_id", "event_center_ref", "payload",
}

// upsertArgs are the binds of upsertTodo.
func upsertArgs(p todo.UpsertParams) []any {
	return []any{
		p.Type, optionalMicros(p.DueAt), p.SourceBizID, p.AssigneeUsername, p.InitiatorUsername,
		p.Title, p.Summary, p.Category, p.ActionURL,
		p.ActionAppID, p.EventCenterRef, optionalText(p.Payload),
		p.ID, todo.Open, micros(p.Now), p.ClientID, p.SourceVersion, p.Owner,
	}
}

// optionalText is null for no text.
func optionalText(text string) sql.NullString { return sql.NullString{String: text, Valid: text != ""} }

func micros(t time.Time) int64 { return t.UnixMicro() }

func optionalMicros(t *time.Time) sql.NullInt64 {
	if t == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: micros(*t), Valid: true}
}

func instant(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

func optionalInstant(micros sql.NullInt64) *time.Time {
	if !micros.Valid {
		return nil
	}
	t := instant(micros.Int64)
	return &t
}
