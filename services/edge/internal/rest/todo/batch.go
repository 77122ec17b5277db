package todo

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"example.com/hub/pkg/field"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
)

// perItem is what a call gets on top of the call timeout for each item.
const perItem = time.Millisecond

// BatchBody is the body of POST /todo-hub/todos/batch.
type BatchBody struct {
	Items itemList `json:"items"`
}

// itemList are the items as they came: a wrong type fails its item alone.
type itemList []jsontext.Value

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (l *itemList) UnmarshalJSONFrom(d *jsontext.Decoder) (err error) {
	*l, err = rest.Entries(d, field.MaxBatch+1, func(d *jsontext.Decoder) (jsontext.Value, error) {
		v, err := d.ReadValue()
		return v.Clone(), err
	})
	return err
}

// unread are the items of a batch that could not be read, by their places.
type unread map[int]unreadItem

type unreadItem struct {
	todoID string
	err    error
}

// readBatch sends an empty item in the place of one that cannot be read, which the hub refuses; the answer
// says then why it could not be read.
func readBatch(r *rest.Request, m *todov1.BatchUpsertTodosRequest) error {
	in, err := rest.Body[BatchBody](r)
	if err != nil {
		return err
	}
	extended := r.Extended()
	faults := unread{}
	for i, raw := range in.Items {
		item := &todov1.UpsertTodoRequest{}
		body, err := rest.Decode[UpsertBody](raw)
		if err == nil {
			err = body.fill(item, extended)
		}
		if err != nil {
			faults[i] = unreadItem{idOf(raw), err}
			item.Reset()
		}
		m.Items = append(m.Items, item)
	}
	r.Keep(faults)
	r.More(time.Duration(len(m.Items)) * perItem)
	return nil
}

// idOf is the id of an item that cannot be read, where at least that can be.
func idOf(raw jsontext.Value) string {
	var in struct {
		TodoID string `json:"todoId"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return ""
	}
	return in.TodoID
}
