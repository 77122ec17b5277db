package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
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
			items := make([]plainTodo, len(m.GetTodos()))
			for i, t := range m.GetTodos() {
				items[i] = plainTodoOf(t)
			}
			return json.Marshal(plainPage(items, &m))
		})
	})
	b.Run("todos/against=json/impl=hub", func(b *testing.B) { measure(b, answer(b, rawTodos, &todov1.ListTodosResponse{})) })
	b.Run("todos/against=protojson/impl=baseline", func(b *testing.B) {
		measure(b, func() ([]byte, error) {
			var m todov1.ListTodosResponse
			if err := proto.Unmarshal(rawTodos, &m); err != nil {
				return nil, err
			}
			return protojson.Marshal(&m)
		})
	})
	b.Run("todos/against=protojson/impl=hub", func(b *testing.B) { measure(b, answer(b, rawTodos, &todov1.ListTodosResponse{})) })
	b.Run("messages/against=json/impl=baseline", func(b *testing.B) {
		measure(b, func() ([]byte, error) {
			var m messagev1.ListInboxResponse
			if err := proto.Unmarshal(rawMessages, &m); err != nil {
				return nil, err
			}
			items := make([]plainMessage, len(m.GetMessages()))
			for i, message := range m.GetMessages() {
				items[i] = plainMessageOf(message)
			}
			return json.Marshal(plainPage(items, &m))
		})
	})
	b.Run("messages/against=json/impl=hub", func(b *testing.B) { measure(b, answer(b, rawMessages, &messagev1.ListInboxResponse{})) })
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
			return json.Marshal(plainEnvelope{Code: "0", Msg: "ok", Data: plainTodoOf(m.GetTodo())})
		})
	})
	b.Run("todo/against=json/impl=hub", func(b *testing.B) { measure(b, answer(b, raw, &todov1.UpsertTodoResponse{})) })
	const fault = "targetUsernames must not hold more than 10000 names"
	b.Run("failure/against=json/impl=baseline", func(b *testing.B) {
		measure(b, func() ([]byte, error) { return json.Marshal(plainEnvelope{Code: "-1", Msg: fault}) })
	})
	b.Run("failure/against=json/impl=hub", func(b *testing.B) {
		var buf []byte
		measure(b, func() ([]byte, error) {
			buf = appendFailure(buf[:0], fault)
			return buf, nil
		})
	})
}

// BenchmarkDecode is the body of a request as the message of its call. The baseline accepts what
// encoding/json accepts.
func BenchmarkDecode(b *testing.B) {
	users := make([]string, 10_000)
	for i := range users {
		users[i] = fmt.Sprintf("user.%06d", i)
	}
	push, err := json.Marshal(pushMessage{
		SourceMessageID: "M-1", TargetUsernames: users, Title: "The travel was approved", Content: strings.Repeat("Lisbon. ", 50),
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("push_to_10000/against=json/impl=baseline", func(b *testing.B) {
		measure(b, func() ([]byte, error) {
			var in pushMessage
			err := json.Unmarshal(push, &in)
			decoded = &messagev1.PushMessageRequest{
				SourceMessageId: in.SourceMessageID, TargetUsernames: in.TargetUsernames, Title: in.Title, Content: in.Content,
			}
			return push, err
		})
	})
	b.Run("push_to_10000/against=json/impl=hub", func(b *testing.B) {
		measure(b, func() ([]byte, error) { return push, decode(push, &messagev1.PushMessageRequest{}) })
	})
	upsert := []byte(`{"todoId":"travel-2030-000001","type":"HANDLE","sourceBizId":"TR-1","assigneeUsername":"amy.adams",
		"title":"Approve the travel","category":"travel","actionUrl":"/travel/1","dueAt":"2030-01-02T03:04:05.678901Z"}`)
	b.Run("upsert/against=json/impl=baseline", func(b *testing.B) {
		measure(b, func() ([]byte, error) {
			var in struct {
				upsertTodo
				DueAt *time.Time `json:"dueAt"`
			}
			err := json.Unmarshal(upsert, &in)
			decoded = &todov1.UpsertTodoRequest{
				TodoId: in.TodoID, Type: todov1.TodoType(todov1.TodoType_value["TODO_TYPE_"+in.Type]), SourceBizId: in.SourceBizID,
				AssigneeUsername: in.AssigneeUsername, Title: in.Title, Category: in.Category, ActionUrl: in.ActionURL,
				DueAt: timestamppb.New(*in.DueAt),
			}
			return upsert, err
		})
	})
	b.Run("upsert/against=json/impl=hub", func(b *testing.B) {
		measure(b, func() ([]byte, error) { return upsert, decode(upsert, &todov1.UpsertTodoRequest{}) })
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

// answer turns what a hub sent into an answer, as a request through the edge does.
func answer[M proto.Message](t testing.TB, raw []byte, m M) func() ([]byte, error) {
	t.Helper()
	h := &Handler{zone: time.UTC}
	ctx := context.WithValue(t.Context(), exchangeKey{}, &exchange{buffers: newBuffers()})
	kind := m.ProtoReflect().Type()
	return func() ([]byte, error) {
		received := kind.New().Interface()
		if err := Codec().Unmarshal(mem.BufferSlice{mem.SliceBuffer(raw)}, received); err != nil {
			return nil, err
		}
		body, err := h.rewrite(ctx, received)
		if err != nil {
			return nil, err
		}
		return body.(encoded), nil
	}
}
