package postgres

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"example.com/hub/pkg/store"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/messagehub/internal/inbox"
)

// columns are those of a record, in the order of row.fields: i is its row, m its message, b its body.
var columns = store.Columns{
	"i.body_id", "i.ordinal", "i.username", "m.source_app_id", "m.source_message_id",
	"b.title", "b.content", "b.category", "b.actions", "i.status", "i.occurred_at", "i.read_at",
	"b.create_time", "GREATEST(b.create_time, i.read_at)", "b.creator", "COALESCE(i.modifier, b.creator)",
}

// row is where the columns of a record go.
type row struct {
	inbox.Record
	body, ordinal int64
	status        int16
	// actions is the driver's, until its next row.
	actions pgtype.DriverBytes
	texts   pg.Strings
}

func (r *row) fields() []any {
	i := &r.Record
	return r.texts.Take([]any{
		&r.body, &r.ordinal, &i.Username, &i.SourceAppID, &i.SourceMessageID,
		&i.Title, &i.Content, &i.Category, &r.actions, &r.status, &i.OccurredAt, &i.ReadAt,
		&i.CreateTime, &i.ModifyTime, &i.CreatorID, &i.ModifierID,
	})
}

// record is what was scanned of a row with these values.
func (r *row) record(values [][]byte) (inbox.Record, error) {
	r.texts.Share(values)
	i := r.Record
	i.ID, i.Status = inbox.RecordID(r.body, r.ordinal), inbox.Status(r.status)
	var err error
	i.Actions, err = decodeActions(r.actions)
	return i, err
}

// given are the columns of what a push says, in the order of pushArgs.
var given = store.Columns{"title", "category", "actions", "content"}

// givenArrays are the binds of given in insertPushes.
const givenArrays = `@title::text[], @category::text[], @actions::text[], @content::text[]`

// pushArgs are the first binds of the statements of a push.
func pushArgs(p inbox.PushParams) ([]any, error) {
	actions, err := encodeActions(p.Actions)
	return []any{
		p.Title, p.Category, actions, p.Content,
		p.SourceMessageID, p.ClientID, p.OccurredAt, p.Now,
	}, err
}

// pushesArgs are the binds of insertPushes, with the number of all targets.
func pushesArgs(all []inbox.PushParams) (args []any, targets int, err error) {
	n := len(all)
	title, category, actions, content := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	id, client, occurredAt, now := make([]string, n), make([]string, n), make([]time.Time, n), make([]time.Time, n)
	events := make([]int32, n)
	var place, ordinal []int32
	var username []string
	for i := range all {
		p := &all[i]
		title[i], category[i], content[i] = p.Title, p.Category, p.Content
		if actions[i], err = encodeActions(p.Actions); err != nil {
			return nil, 0, err
		}
		id[i], client[i], occurredAt[i], now[i] = p.SourceMessageID, p.ClientID, p.OccurredAt, p.Now
		events[i] = int32(len(p.Targets)) //nolint:gosec // few
		for j, target := range p.Targets {
			place, ordinal, username = append(place, int32(i+1)), append(ordinal, int32(j)), append(username, target) //nolint:gosec // few
		}
	}
	return []any{
		title, category, actions, content, id, client, occurredAt, now, events, place, ordinal, username,
	}, len(username), nil
}

// readsArgs are the binds of updateReads.
func readsArgs(all []inbox.MarkReadParams) []any {
	n := len(all)
	id, username, now, client := make([]string, n), make([]string, n), make([]time.Time, n), make([]string, n)
	for i := range all {
		p := &all[i]
		id[i], username[i], now[i], client[i] = p.SourceMessageID, p.Username, p.Now, p.ClientID
	}
	return []any{id, username, now, client}
}

// pushBinds are the names of pushArgs, with others behind them.
func pushBinds(more ...string) []string {
	return append(given.Then("source_message_id", "client", "occurred_at", "now"), more...)
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
