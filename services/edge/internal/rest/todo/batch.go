package todo

import (
	"time"

	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
)

// perItem is what a call gets on top of the call timeout for each item.
const perItem = time.Millisecond

// BatchBody is the body of POST /todo-hub/todos/batch.
type BatchBody struct {
	Items rest.Batch `json:"items"`
}

// results is a todov1.BatchUpsertTodosResponse.
var results = rest.Results{ID: "todoId", Flag: "stale", Counts: []string{"stored", "stale", "failed"}}

// readBatch refuses an item that cannot be read, or names nobody.
func readBatch(r *rest.Request, m *todov1.BatchUpsertTodosRequest) error {
	in, err := rest.Body[BatchBody](r)
	if err != nil {
		return err
	}
	extended := r.Extended()
	faults, users := rest.Refused{}, []userID(nil)
	for i, raw := range in.Items {
		item := &todov1.UpsertTodoRequest{}
		body, err := rest.Decode[UpsertBody](raw)
		if err == nil {
			var named []userID
			body.fill(item, extended)
			named, err = body.fillUsers(item, i)
			users = append(users, named...)
		}
		if err != nil {
			faults[i] = results.Refuse(raw, err)
			item.Reset()
		}
		m.Items = append(m.Items, item)
	}
	nameUsers(r, users, func(i int, err error) error {
		faults[i] = rest.Refusal{ID: m.Items[i].GetTodoId(), Err: err}
		m.Items[i].Reset()
		return nil
	})
	r.Keep(faults)
	r.More(time.Duration(len(m.Items)) * perItem)
	return nil
}
