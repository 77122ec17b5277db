package sqlite

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"example.com/hub/pkg/store"
	"example.com/hub/services/messagehub/internal/inbox"
)

// columns are those of a record, in the order of row.fields: i is its row, m its message, b its body.
var columns = store.Columns{
	"i.body_id", "i.ordinal", "i.username", "m.source_app_id", "m.source_message_id",
	"b.title", "b.content", "b.category", "b.actions", "i.status", "i.occurred_at", "i.read_at",
	"b.create_time", "i.modify_time", "b.creator", "i.modifier",
}

// row is where the columns of a record go.
type row struct {
	inbox.Record
	body, ordinal                      int64
	actions                            []byte
	occurredAt, createTime, modifyTime int64
	readAt                             sql.NullInt64
}

func (r *row) fields() []any {
	i := &r.Record
	return []any{
		&r.body, &r.ordinal, &i.Username, &i.SourceAppID, &i.SourceMessageID,
		&i.Title, &i.Content, &i.Category, &r.actions, &i.Status, &r.occurredAt, &r.readAt,
		&r.createTime, &r.modifyTime, &i.CreatorID, &i.ModifierID,
	}
}

func (r *row) record() (inbox.Record, error) {
	i := r.Record
	i.ID = inbox.RecordID(r.body, r.ordinal)
	i.OccurredAt, i.ReadAt = instant(r.occurredAt), optionalInstant(r.readAt)
	i.CreateTime, i.ModifyTime = instant(r.createTime), instant(r.modifyTime)
	var err error
	i.Actions, err = decodeActions(r.actions)
	return i, err
}

// given are the columns of what a push says, in the order of bodyArgs.
var given = store.Columns{"title", "category", "actions", "content"}

// bodyArgs are the binds of insertBody.
func bodyArgs(message int64, p inbox.PushParams) ([]any, error) {
	actions, err := encodeActions(p.Actions)
	return []any{
		p.Title, p.Category, actions, p.Content,
		message, micros(p.OccurredAt), micros(p.Now), p.ClientID,
	}, err
}

// action is the stored form of an inbox.Action.
type action struct {
	Label string `json:"label"`
	URL   string `json:"url"`
}

func encodeActions(actions []inbox.Action) (string, error) {
	list := make([]action, len(actions))
	for i, a := range actions {
		list[i] = action(a)
	}
	text, err := json.Marshal(list)
	return string(text), err
}

func decodeActions(text []byte) ([]inbox.Action, error) {
	var list []action
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("decode actions: %w", err)
	}
	actions := make([]inbox.Action, len(list))
	for i, a := range list {
		actions[i] = inbox.Action(a)
	}
	return actions, nil
}

func micros(t time.Time) int64 { return t.UnixMicro() }

func instant(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

func optionalInstant(micros sql.NullInt64) *time.Time {
	if !micros.Valid {
		return nil
	}
	t := instant(micros.Int64)
	return &t
}
