package todo

import (
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/rest/shape"
)

// UpsertBody is the body of POST /todo-hub/todos. sourceSystem is left out on purpose: the hub takes
// it from the token (contract, Authentication 5).
type UpsertBody struct {
	TodoID            string `json:"todoId"`
	Type              string `json:"type"`
	SourceBizID       string `json:"sourceBizId"`
	AssigneeUsername  string `json:"assigneeUsername"`
	InitiatorUsername string `json:"initiatorUsername"`
	Title             string `json:"title"`
	Summary           string `json:"summary"`
	Category          string `json:"category"`
	ActionURL         string `json:"actionUrl"`
	DueAt             string `json:"dueAt"`
}

func readUpsert(r *rest.Request, m *todov1.UpsertTodoRequest) error {
	in, err := rest.Body[UpsertBody](r)
	if err != nil {
		return err
	}
	m.TodoId = in.TodoID
	m.Type = types.ParseField(in.Type)
	m.SourceBizId = in.SourceBizID
	m.AssigneeUsername = in.AssigneeUsername
	m.InitiatorUsername = in.InitiatorUsername
	m.Title = in.Title
	m.Summary = in.Summary
	m.Category = in.Category
	m.ActionUrl = in.ActionURL
	m.DueAt = shape.ParseInstant(in.DueAt)
	return nil
}

// ClearBody is the body of POST /todo-hub/todos/{todoId}/clear.
type ClearBody struct {
	Result    string `json:"result"`
	ClearedAt string `json:"clearedAt"`
	ClearedBy string `json:"clearedBy"`
	Reason    string `json:"reason"`
}

func readClear(r *rest.Request, m *todov1.ClearTodoRequest) error {
	in, err := rest.Body[ClearBody](r)
	if err != nil {
		return err
	}
	m.Result = in.Result
	m.ClearedAt = shape.ParseInstant(in.ClearedAt)
	m.ClearedBy = in.ClearedBy
	m.Reason = in.Reason
	return nil
}

func readInvalidate(r *rest.Request, m *todov1.InvalidateTodoRequest) error {
	m.Reason = r.Text("reason")
	return nil
}

func readList(r *rest.Request, m *todov1.ListTodosRequest) error {
	m.AssigneeUsername = r.Optional("assigneeUsername")
	m.Status = statuses.Parse(r.Text("status"))
	m.Type = types.Parse(r.Text("type"))
	m.Page, m.Size = r.Page()
	if field, descending, ok := rest.Sort(r, sortFields); ok {
		m.Sort = &todov1.TodoSort{Field: field, Descending: descending}
	}
	return nil
}
