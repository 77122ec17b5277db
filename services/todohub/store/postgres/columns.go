package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store"
	"example.com/hub/pkg/store/pg"
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
	kind, status int16
	texts        pg.Strings
}

func (r *row) fields() []any {
	i := &r.Item
	return r.texts.Take([]any{
		&i.ID, &r.kind, &r.status, &i.DueAt, &i.ClearedAt, &i.CreateTime, &i.ModifyTime,
		&i.SourceSystem, &i.SourceBizID, &i.AssigneeUsername, &i.InitiatorUsername,
		&i.Title, &i.Summary, &i.Category, &i.ActionURL,
		&i.Result, &i.ClearedBy, &i.Reason, &i.CreatorID, &i.ModifierID,
		&i.ActionAppID, &i.EventCenterRef, &i.SourceVersion, &i.Payload, &i.FormerAssignee,
	})
}

// item is what was scanned of a row with these values.
func (r *row) item(values [][]byte) todo.Item {
	r.texts.Share(values)
	i := r.Item
	i.Type, i.Status = todo.Type(r.kind), todo.Status(r.status)
	return i
}

// kept are the id of a row and the columns of which an upsert does not know what they become, in the order of
// row.kept.
var kept = store.Columns{
	"id", "status", "cleared_at", "create_time", "modify_time",
	"result", "cleared_by", "reason", "creator_id", "source_version", "former_assignee",
}

func (r *row) kept() []any {
	i := &r.Item
	return r.texts.Take([]any{
		&i.ID, &r.status, &i.ClearedAt, &i.CreateTime, &i.ModifyTime,
		&i.Result, &i.ClearedBy, &i.Reason, &i.CreatorID, &i.SourceVersion, &i.FormerAssignee,
	})
}

// upserted is an item of which the kept columns were read, with what the upsert has set.
func upserted(i todo.Item, p *todo.UpsertParams) todo.Item {
	report := p.Report
	report.SourceVersion = i.SourceVersion
	i.Report, i.SourceSystem, i.ModifierID = report, p.ClientID, p.ClientID
	return i
}

// scan reads the columns of one row.
func scan(rows pgx.CollectableRow) (todo.Item, error) {
	var r row
	err := rows.Scan(r.fields()...)
	return r.item(rows.RawValues()), err
}

// given are the columns of what an upsert reports, in the order of upsertArgs, but for the version, which
// stays where none is given.
var given = store.Columns{
	"type", "due_at", "source_biz_id", "assignee_username", "initiator_username",
	"title", "summary", "category", "action_url",
	"action_app_id", "event_center_ref", "payload",
}

// upsertArgs are the binds of upsertTodo.
func upsertArgs(p todo.UpsertParams, repeated bool) []any {
	return []any{
		p.Type, p.DueAt, p.SourceBizID, p.AssigneeUsername, p.InitiatorUsername,
		p.Title, p.Summary, p.Category, p.ActionURL,
		p.ActionAppID, p.EventCenterRef, optionalText(p.Payload),
		p.ID, todo.Open, p.Now, p.ClientID, p.Owner, p.SourceVersion, repeated,
	}
}

// givenArrays are the binds of given in upsertTodos.
const givenArrays = `@type::smallint[], @due_at::timestamptz[], @source_biz_id::text[],
    @assignee_username::text[], @initiator_username::text[],
    @title::text[], @summary::text[], @category::text[], @action_url::text[],
    @action_app_id::text[], @event_center_ref::text[], @payload::text[]`

// manyArgs are the binds of upsertTodos.
func manyArgs(all []todo.UpsertParams, repeated bool) []any {
	n := len(all)
	kind, due, now, version := make([]int16, n), make([]*time.Time, n), make([]time.Time, n), make([]*int64, n)
	client, payload := make([]string, n), make([]*string, n)
	var free []string
	for i := range all {
		p := &all[i]
		kind[i], due[i], now[i], client[i], version[i], payload[i] = int16(p.Type), p.DueAt, p.Now, p.ClientID, p.SourceVersion, optionalText(p.Payload)
		if p.Owner == "" {
			free = append(free, p.ID)
		}
	}
	owned := len(free) < n
	if !owned {
		free = nil
	}
	text := func(of func(r *todo.Report) string) []string {
		texts := make([]string, n)
		for i := range all {
			texts[i] = of(&all[i].Report)
		}
		return texts
	}
	return []any{
		kind, due,
		text(func(r *todo.Report) string { return r.SourceBizID }),
		text(func(r *todo.Report) string { return r.AssigneeUsername }),
		text(func(r *todo.Report) string { return r.InitiatorUsername }),
		text(func(r *todo.Report) string { return r.Title }),
		text(func(r *todo.Report) string { return r.Summary }),
		text(func(r *todo.Report) string { return r.Category }),
		text(func(r *todo.Report) string { return r.ActionURL }),
		text(func(r *todo.Report) string { return r.ActionAppID }),
		text(func(r *todo.Report) string { return r.EventCenterRef }),
		payload,
		text(func(r *todo.Report) string { return r.ID }),
		now, client, version, todo.Open, owned, free, repeated,
	}
}

// optionalText is nil for no text.
func optionalText(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
