package todo

import (
	"github.com/go-json-experiment/json/jsontext"

	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/shape"
)

// The contract's words.
var (
	types    = shape.Words[todov1.TodoType]{"", "HANDLE", "REVIEW"}
	statuses = shape.Words[todov1.TodoStatus]{"", "OPEN", "CLEARED", "INVALID"}
)

const (
	// maxItem is more bytes than the largest todo takes on the wire without its payload. Its texts are 10,500
	// characters at most.
	maxItem = 48 << 10
	// maxFull is more than it takes with its payload.
	maxFull = maxItem + 16<<10
)

// Item is a TodoItem of the contract, from a todov1.Todo. Every member of the contract is always there, and
// those of the draft in extended answers.
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
	shape.Extended(shape.Text("actionAppId", 11), `""`),
	shape.Instant("dueAt", 12),
	shape.Word("status", 13, statuses),
	shape.Text("result", 14),
	shape.Instant("clearedAt", 15),
	shape.Text("clearedBy", 16),
	shape.Text("reason", 17),
}, append(shape.Audit(18, 19, 20, 21),
	shape.Extended(shape.JSON("payload", 22), ""),
	shape.Extended(shape.Text("eventCenterRef", 23), ""),
	shape.Extended(shape.Integer("sourceVersion", 24), ""),
)...)...)

// UpsertBody is the body of POST /todo-hub/todos. sourceSystem is left out on purpose: the hub takes
// it from the token (contract, Authentication 5).
type UpsertBody struct {
	TodoID            string         `json:"todoId"`
	Type              string         `json:"type"`
	SourceBizID       string         `json:"sourceBizId"`
	AssigneeUsername  *string        `json:"assigneeUsername"`
	AssigneeUserID    jsontext.Value `json:"assigneeUserId"`
	InitiatorUsername *string        `json:"initiatorUsername"`
	InitiatorUserID   jsontext.Value `json:"initiatorUserId"`
	Title             string         `json:"title"`
	Summary           string         `json:"summary"`
	Category          string         `json:"category"`
	ActionURL         string         `json:"actionUrl"`
	DueAt             string         `json:"dueAt"`
	ActionAppID       string         `json:"actionAppId"`
	Payload           jsontext.Value `json:"payload"`
	EventCenterRef    string         `json:"eventCenterRef"`
	SourceVersion     *int64         `json:"sourceVersion"`
}

func readUpsert(r *rest.Request, m *todov1.UpsertTodoRequest) error {
	in, err := rest.Body[UpsertBody](r)
	if err != nil {
		return err
	}
	in.fill(m, r.Extended())
	users, err := in.fillUsers(m, 0)
	nameUsers(r, users, func(_ int, err error) error { return err })
	return err
}

// fill makes the message of an upsert, but for its users.
func (in *UpsertBody) fill(m *todov1.UpsertTodoRequest, extended bool) {
	m.TodoId = in.TodoID
	m.Type = types.ParseField(in.Type, extended)
	m.SourceBizId = in.SourceBizID
	m.Title = in.Title
	m.Summary = in.Summary
	m.Category = in.Category
	m.ActionUrl = in.ActionURL
	m.DueAt = shape.ParseInstant(in.DueAt)
	m.ActionAppId = in.ActionAppID
	m.Payload = string(in.Payload)
	m.EventCenterRef = in.EventCenterRef
	m.SourceVersion = in.SourceVersion
}
