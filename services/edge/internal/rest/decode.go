package rest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// upsertTodo is the body of POST /todo-hub/todos. sourceSystem is left out on purpose: the hub takes
// it from the token (contract, Authentication 5).
type upsertTodo struct {
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

// clearTodo is the body of POST /todo-hub/todos/{todoId}/clear.
type clearTodo struct {
	Result    string `json:"result"`
	ClearedAt string `json:"clearedAt"`
	ClearedBy string `json:"clearedBy"`
	Reason    string `json:"reason"`
}

// pushMessage is the body of POST /message-hub/messages; sourceAppId comes from the token too.
type pushMessage struct {
	SourceMessageID string  `json:"sourceMessageId"`
	TargetUsernames targets `json:"targetUsernames"`
	Title           string  `json:"title"`
	Content         string  `json:"content"`
	Category        string  `json:"category"`
	Actions         actions `json:"actions"`
	OccurredAt      string  `json:"occurredAt"`
}

// decode reads a request body into the message of its call. Its errors are for the caller.
//
// It is strict where leniency would hide a caller's mistake: types and names are exact, a name stands
// once, the text is valid UTF-8, and there is one object and nothing after it. Unknown names are
// ignored, so that callers may send more; null is the same as a missing field.
func decode(data []byte, message any) error {
	switch m := message.(type) {
	case *todov1.UpsertTodoRequest:
		return decodeUpsert(data, m)
	case *todov1.ClearTodoRequest:
		return decodeClear(data, m)
	case *messagev1.PushMessageRequest:
		return decodePush(data, m)
	default:
		return errUnmapped(message)
	}
}

func decodeUpsert(data []byte, m *todov1.UpsertTodoRequest) error {
	in, err := object[upsertTodo](data)
	if err != nil {
		return err
	}
	m.TodoId = in.TodoID
	m.Type = todoTypes.parseField(in.Type)
	m.SourceBizId = in.SourceBizID
	m.AssigneeUsername = in.AssigneeUsername
	m.InitiatorUsername = in.InitiatorUsername
	m.Title = in.Title
	m.Summary = in.Summary
	m.Category = in.Category
	m.ActionUrl = in.ActionURL
	m.DueAt = parseInstant(in.DueAt)
	return nil
}

func decodeClear(data []byte, m *todov1.ClearTodoRequest) error {
	in, err := object[clearTodo](data)
	if err != nil {
		return err
	}
	m.Result = in.Result
	m.ClearedAt = parseInstant(in.ClearedAt)
	m.ClearedBy = in.ClearedBy
	m.Reason = in.Reason
	return nil
}

func decodePush(data []byte, m *messagev1.PushMessageRequest) error {
	in, err := object[pushMessage](data)
	if err != nil {
		return err
	}
	m.SourceMessageId = in.SourceMessageID
	m.TargetUsernames = in.TargetUsernames
	m.Title = in.Title
	m.Content = in.Content
	m.Category = in.Category
	m.OccurredAt = parseInstant(in.OccurredAt)
	for i, action := range in.Actions {
		if action == nil {
			return fmt.Errorf("actions[%d] must be an object", i)
		}
		m.Actions = append(m.Actions, &messagev1.MessageAction{Label: action.Label, Url: action.URL})
	}
	return nil
}

var errNoObject = errors.New("the request body must be a JSON object")

// object decodes exactly one JSON object.
func object[T any](data []byte) (*T, error) {
	if len(data) == 0 {
		return nil, errNoObject
	}
	// A pointer tells null, which sets it to nil, from an object.
	var in *T
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, explain(err)
	}
	if in == nil {
		return nil, errNoObject
	}
	return in, nil
}

// explain says what is wrong with a body in words that hold nothing of the body itself.
func explain(err error) error {
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &syntax) && errors.Is(syntax.Err, jsontext.ErrDuplicateName):
		return fmt.Errorf("the request body is not valid JSON: a name stands twice at byte %d", syntax.ByteOffset)
	case errors.As(err, &syntax):
		return fmt.Errorf("the request body is not valid JSON at byte %d", syntax.ByteOffset)
	case errors.As(err, &semantic) && semantic.JSONPointer == "":
		return errNoObject
	case errors.As(err, &semantic):
		return fmt.Errorf("%s must be %s", fieldName(semantic.JSONPointer), jsonType(semantic.GoType))
	default:
		return errors.New("the request body is not valid JSON")
	}
}

// fieldName writes a pointer to a known field as callers do: /actions/0/url is actions[0].url.
func fieldName(p jsontext.Pointer) string {
	var name strings.Builder
	for token := range p.Tokens() {
		switch {
		case token[0] >= '0' && token[0] <= '9':
			name.WriteString("[" + token + "]")
		case name.Len() > 0:
			name.WriteString("." + token)
		default:
			name.WriteString(token)
		}
	}
	return name.String()
}

// jsonType names the JSON type that a field of type t takes.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "an array"
	default:
		return "an object"
	}
}
