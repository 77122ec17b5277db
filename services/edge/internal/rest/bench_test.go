package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/rest/content"
	"example.com/hub/services/edge/internal/rest/directory"
	"example.com/hub/services/edge/internal/rest/message"
	"example.com/hub/services/edge/internal/rest/todo"
)

func todoPage(n int) *todov1.ListTodosResponse {
	now := timestamppb.New(time.Date(2030, 1, 2, 3, 4, 5, 678901000, time.UTC))
	page := &todov1.ListTodosResponse{Size: int64(n), TotalCount: 12345}
	for i := range n {
		page.Todos = append(page.Todos, &todov1.Todo{
			Id: fmt.Sprintf("travel-2030-%06d", i), Type: todov1.TodoType_TODO_TYPE_HANDLE, SourceSystem: "erp",
			SourceBizId: fmt.Sprintf("TR-%d", i), AssigneeUsername: "amy.adams", InitiatorUsername: "ian.ingram",
			Title: "Approve the travel of Ian Ingram to Lisbon", Summary: strings.Repeat("Three days & two nights. ", 8),
			Category: "travel", ActionUrl: "https://erp.example.com/travel/1?step=approve&from=portal", DueAt: now,
			Status: todov1.TodoStatus_TODO_STATUS_OPEN, CreateTime: now, ModifyTime: now, CreatorId: "erp", ModifierId: "erp",
		})
	}
	return page
}

func messagePage(n int) *messagev1.ListInboxResponse {
	now := timestamppb.New(time.Date(2030, 1, 2, 3, 4, 5, 678901000, time.UTC))
	page := &messagev1.ListInboxResponse{Size: int64(n), TotalCount: 12345}
	for i := range n {
		page.Messages = append(page.Messages, &messagev1.InboxMessage{
			Id: fmt.Sprintf("%d-7", i), Username: "amy.adams", SourceAppId: "erp", SourceMessageId: fmt.Sprintf("M-%d", i),
			Title: "The travel was approved", Content: strings.Repeat("Have a good time in Lisbon. ", 14), Category: "travel",
			Actions: []*messagev1.MessageAction{{Label: "Show", Url: "/travel/1"}}, Status: messagev1.MessageStatus_MESSAGE_STATUS_UNREAD,
			OccurredAt: now, CreateTime: now, ModifyTime: now, CreatorId: "erp", ModifierId: "erp",
		})
	}
	return page
}

// Each of the following benchmarks has a baseline beside it: what one would write without a second
// thought. `make bench-go` compares them.

// BenchmarkPage is a page of a list from what a hub sent to the whole answer of the edge. The baseline
// decodes the message, copies it into plain structs and encodes these; protojson does without the structs,
// in a shape of its own.
func BenchmarkPage(b *testing.B) {
	todos, messages := todoPage(20), messagePage(20)
	rawTodos, rawMessages := wire(b, todos), wire(b, messages)
	b.Run("todos/against=json/impl=baseline", func(b *testing.B) {
		measure(b, func() ([]byte, error) {
			var m todov1.ListTodosResponse
			if err := proto.Unmarshal(rawTodos, &m); err != nil {
				return nil, err
			}
			return json.Marshal(plainPage(&m, m.GetTodos(), plainTodoOf, time.UTC))
		})
	})
	b.Run("todos/against=json/impl=hub", func(b *testing.B) {
		measure(b, answered(b, rawTodos, &todov1.ListTodosResponse{}, rest.List(todo.Item)))
	})
	b.Run("todos/against=protojson/impl=baseline", func(b *testing.B) {
		measure(b, func() ([]byte, error) {
			var m todov1.ListTodosResponse
			if err := proto.Unmarshal(rawTodos, &m); err != nil {
				return nil, err
			}
			return protojson.Marshal(&m)
		})
	})
	b.Run("todos/against=protojson/impl=hub", func(b *testing.B) {
		measure(b, answered(b, rawTodos, &todov1.ListTodosResponse{}, rest.List(todo.Item)))
	})
	// What the codec is good for: without it each answer is decoded, and encoded again for the tables.
	b.Run("todos/against=decoding/impl=baseline", func(b *testing.B) {
		answer := rest.Answering(b, rest.List(todo.Item), time.UTC)
		measure(b, func() ([]byte, error) {
			var m todov1.ListTodosResponse
			if err := proto.Unmarshal(rawTodos, &m); err != nil {
				return nil, err
			}
			return answer(&m)
		})
	})
	b.Run("todos/against=decoding/impl=hub", func(b *testing.B) {
		measure(b, answered(b, rawTodos, &todov1.ListTodosResponse{}, rest.List(todo.Item)))
	})
	b.Run("messages/against=json/impl=baseline", func(b *testing.B) {
		measure(b, func() ([]byte, error) {
			var m messagev1.ListInboxResponse
			if err := proto.Unmarshal(rawMessages, &m); err != nil {
				return nil, err
			}
			return json.Marshal(plainPage(&m, m.GetMessages(), plainMessageOf, time.UTC))
		})
	})
	b.Run("messages/against=json/impl=hub", func(b *testing.B) {
		measure(b, answered(b, rawMessages, &messagev1.ListInboxResponse{}, rest.List(message.InboxMessage)))
	})
}

// BenchmarkEnvelope is the answer of an upsert, and that of a failure.
func BenchmarkEnvelope(b *testing.B) {
	upserted := &todov1.UpsertTodoResponse{Todo: todoPage(1).GetTodos()[0]}
	raw := wire(b, upserted)
	b.Run("todo/against=json/impl=baseline", func(b *testing.B) {
		measure(b, func() ([]byte, error) {
			var m todov1.UpsertTodoResponse
			if err := proto.Unmarshal(raw, &m); err != nil {
				return nil, err
			}
			return json.Marshal(plainEnvelope{Code: "0", Msg: "ok", Data: plainTodoOf(m.GetTodo(), time.UTC)})
		})
	})
	b.Run("todo/against=json/impl=hub", func(b *testing.B) { measure(b, answered(b, raw, &todov1.UpsertTodoResponse{}, rest.Item(todo.Item))) })
	const fault = "targetUsernames must not hold more than 10000 names"
	b.Run("failure/against=json/impl=baseline", func(b *testing.B) {
		measure(b, func() ([]byte, error) { return json.Marshal(plainEnvelope{Code: "-1", Msg: fault}) })
	})
	b.Run("failure/against=json/impl=hub", func(b *testing.B) {
		var buf []byte
		measure(b, func() ([]byte, error) {
			buf = rest.AppendFailure(buf[:0], fault)
			return buf, nil
		})
	})
}

// BenchmarkDecode is the body of a request as the message of its call. The baseline accepts what
// encoding/json accepts.
func BenchmarkDecode(b *testing.B) {
	pushes, upserts := endpoint(b, http.MethodPost, "/message-hub/messages"), endpoint(b, http.MethodPost, "/todo-hub/todos")
	users := make([]string, 10_000)
	for i := range users {
		users[i] = fmt.Sprintf("user.%06d", i)
	}
	push, err := json.Marshal(message.PushBody{
		SourceMessageID: "M-1", TargetUsernames: users, Title: "The travel was approved", Content: strings.Repeat("Lisbon. ", 50),
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("push_to_10000/against=json/impl=baseline", func(b *testing.B) {
		measure(b, func() ([]byte, error) {
			var in message.PushBody
			err := json.Unmarshal(push, &in)
			decoded = &messagev1.PushMessageRequest{
				SourceMessageId: in.SourceMessageID, TargetUsernames: in.TargetUsernames, Title: in.Title, Content: in.Content,
			}
			return push, err
		})
	})
	b.Run("push_to_10000/against=json/impl=hub", func(b *testing.B) {
		measure(b, func() ([]byte, error) {
			return push, rest.Fill(pushes.Read, nil, push, &messagev1.PushMessageRequest{})
		})
	})
	upsert := []byte(`{"todoId":"travel-2030-000001","type":"HANDLE","sourceBizId":"TR-1","assigneeUsername":"amy.adams",
		"title":"Approve the travel","category":"travel","actionUrl":"/travel/1","dueAt":"2030-01-02T03:04:05.678901Z"}`)
	b.Run("upsert/against=json/impl=baseline", func(b *testing.B) {
		measure(b, func() ([]byte, error) {
			var in struct {
				todo.UpsertBody
				DueAt *time.Time `json:"dueAt"`
			}
			err := json.Unmarshal(upsert, &in)
			decoded = &todov1.UpsertTodoRequest{
				TodoId: in.TodoID, Type: todov1.TodoType(todov1.TodoType_value["TODO_TYPE_"+in.Type]), SourceBizId: in.SourceBizID,
				AssigneeUsername: *in.AssigneeUsername, Title: in.Title, Category: in.Category, ActionUrl: in.ActionURL,
				DueAt: timestamppb.New(*in.DueAt),
			}
			return upsert, err
		})
	})
	b.Run("upsert/against=json/impl=hub", func(b *testing.B) {
		measure(b, func() ([]byte, error) {
			return upsert, rest.Fill(upserts.Read, nil, upsert, &todov1.UpsertTodoRequest{})
		})
	})
}

// decoded keeps the baselines' messages from being optimised away.
var decoded proto.Message

// measure runs one way of doing something, which gives the JSON that it wrote or read.
func measure(b *testing.B, way func() ([]byte, error)) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if text, err := way(); err != nil || len(text) == 0 {
			b.Fatalf("%d bytes, %v", len(text), err)
		}
	}
}

// wire is what a hub sends.
func wire(t testing.TB, m proto.Message) []byte {
	t.Helper()
	raw, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// answered turns what a hub sent into an answer, as a request through the edge does.
func answered[M proto.Message](t testing.TB, raw []byte, m M, write rest.Writer) func() ([]byte, error) {
	t.Helper()
	answer := rest.Answering(t, write, time.UTC)
	kind := m.ProtoReflect().Type()
	return func() ([]byte, error) {
		received := kind.New().Interface()
		if err := rest.Receive(mem.BufferSlice{mem.SliceBuffer(raw)}, received); err != nil {
			return nil, err
		}
		return answer(received)
	}
}

// endpoint finds one of an area.
func endpoint(t testing.TB, method, path string) rest.Endpoint {
	t.Helper()
	for _, e := range slices.Concat(todo.Area(nil).Endpoints, message.Area(nil).Endpoints, directory.Area(nil).Endpoints, content.Area(nil).Endpoints) {
		if e.Method == method && e.Path == path {
			return e
		}
	}
	t.Fatalf("there is no %s %s", method, path)
	return rest.Endpoint{}
}
