package todo

import (
	"strings"

	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/shape"
)

// sortFields are the fields that a list can be ordered by.
var sortFields = shape.Words[todov1.TodoSortField]{
	"", "modifyTime", "createTime", "dueAt", "clearedAt", "title", "category", "sourceSystem", "id",
}

// ClearBody is the body of POST /todo-hub/todos/{todoId}/clear.
type ClearBody struct {
	Result    string `json:"result"`
	ClearedAt string `json:"clearedAt"`
	ClearedBy string `json:"clearedBy"`
	Reason    string `json:"reason"`

	SourceVersion *int64 `json:"sourceVersion"`
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
	m.SourceVersion = in.SourceVersion
	return nil
}

func readInvalidate(r *rest.Request, m *todov1.InvalidateTodoRequest) error {
	m.Reason = r.Text("reason")
	m.SourceVersion = r.Integer("sourceVersion", -1)
	return nil
}

func readList(r *rest.Request, m *todov1.ListTodosRequest) error {
	m.PageToken = r.Cursor()
	if r.Full() {
		m.View = todov1.TodoView_TODO_VIEW_FULL
		r.Larger(maxFull)
	}
	m.AssigneeUsername = r.Username("assigneeUsername", "assignee_username")
	status := r.Text("status")
	m.AnyStatus = m.PageToken != nil && strings.EqualFold(status, "all")
	if !m.AnyStatus {
		m.Status = statuses.Parse(status, r.Extended())
	}
	m.Type = types.Parse(r.Text("type"), r.Extended())
	m.Page, m.Size = r.Page()
	if field, descending, ok := rest.Sort(r, sortFields); ok {
		m.Sort = &todov1.TodoSort{Field: field, Descending: descending}
	}
	return nil
}
