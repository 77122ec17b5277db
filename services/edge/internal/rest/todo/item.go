package todo

import (
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/shape"
)

// The contract's words.
var (
	types    = shape.Words[todov1.TodoType]{"", "HANDLE", "REVIEW"}
	statuses = shape.Words[todov1.TodoStatus]{"", "OPEN", "CLEARED", "INVALID"}
)

// maxItem is more bytes than the largest todo takes on the wire, whose texts are 9,900 characters at
// most.
const maxItem = 48 << 10

// Item is a TodoItem of the contract, from a todov1.Todo. Every member is always there.
var Item = shape.New(append([]shape.Field{
	shape.Text("id", 1),
	shape.Word("type", 2, types),
	shape.Text("sourceSystem", 3),
	shape.Text("sourceBizId", 4),
	shape.Text("assigneeUsername", 5),
	shape.Text("initiatorUsername", 6),
	shape.Text("title", 7),
	shape.Text("summary", 8),
	shape.Text("category", 9),
	shape.Text("actionUrl", 10),
	shape.Text("actionAppId", 11),
	shape.Instant("dueAt", 12),
	shape.Word("status", 13, statuses),
	shape.Text("result", 14),
	shape.Instant("clearedAt", 15),
	shape.Text("clearedBy", 16),
	shape.Text("reason", 17),
}, shape.Audit(18, 19, 20, 21)...)...)

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
	m.Type = types.ParseField(in.Type, r.Extended())
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
