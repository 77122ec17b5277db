package rest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// The answers as plain structs that encoding/json writes by itself are the baseline of the benchmarks.
// A field hides one of the same name in what its struct embeds.

type plainTodo struct {
	todoItem
	DueAt      *time.Time `json:"dueAt"`
	ClearedAt  *time.Time `json:"clearedAt"`
	CreateTime string     `json:"createTime"`
	ModifyTime string     `json:"modifyTime"`
}

func plainTodoOf(t *todov1.Todo) plainTodo {
	return plainTodo{
		todoItemOf(t, time.UTC), plainInstant(t.GetDueAt()), plainInstant(t.GetClearedAt()),
		t.GetCreateTime().AsTime().Format(auditLayout), t.GetModifyTime().AsTime().Format(auditLayout),
	}
}

type plainMessage struct {
	inboxMessage
	OccurredAt *time.Time `json:"occurredAt"`
	ReadAt     *time.Time `json:"readAt"`
	CreateTime string     `json:"createTime"`
	ModifyTime string     `json:"modifyTime"`
}

func plainMessageOf(m *messagev1.InboxMessage) plainMessage {
	return plainMessage{
		inboxMessageOf(m, time.UTC), plainInstant(m.GetOccurredAt()), plainInstant(m.GetReadAt()),
		m.GetCreateTime().AsTime().Format(auditLayout), m.GetModifyTime().AsTime().Format(auditLayout),
	}
}

func plainInstant(ts *timestamppb.Timestamp) *time.Time {
	if ts == nil {
		return nil
	}
	t := ts.AsTime()
	return &t
}

type plainEnvelope struct {
	Code string `json:"code"`
	Msg  string `json:"msg"`
	Data any    `json:"data"`
}

type plainList struct {
	plainEnvelope
	Page struct {
		Page       int64 `json:"page"`
		TotalCount int64 `json:"totalCount"`
		TotalPages int64 `json:"totalPages"`
		Size       int64 `json:"size"`
	} `json:"page"`
	Count int `json:"count"`
}

func plainPage[T any](items []T, p paged) plainList {
	list := plainList{plainEnvelope: plainEnvelope{"0", "ok", items}, Count: len(items)}
	list.Page.Page, list.Page.TotalCount, list.Page.Size = p.GetPage()+1, p.GetTotalCount(), p.GetSize()
	list.Page.TotalPages = (p.GetTotalCount() + p.GetSize() - 1) / p.GetSize()
	return list
}

// TestBaselinesOfTheBenchmarksAnswerTheSame keeps the comparison honest.
func TestBaselinesOfTheBenchmarksAnswerTheSame(t *testing.T) {
	todos, messages := todoPage(3), messagePage(3)
	var plainTodos []plainTodo
	for _, item := range todos.GetTodos() {
		plainTodos = append(plainTodos, plainTodoOf(item))
	}
	var plainMessages []plainMessage
	for _, item := range messages.GetMessages() {
		plainMessages = append(plainMessages, plainMessageOf(item))
	}
	upserted := &todov1.UpsertTodoResponse{Todo: todos.GetTodos()[0]}
	for _, tt := range []struct {
		name  string
		plain any
		sent  proto.Message
	}{
		{"todos", plainPage(plainTodos, todos), todos},
		{"messages", plainPage(plainMessages, messages), messages},
		{"todo", plainEnvelope{"0", "ok", plainTodos[0]}, upserted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want, err := json.Marshal(tt.plain)
			if err != nil {
				t.Fatal(err)
			}
			got, err := answer(t, wire(t, tt.sent), tt.sent)()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(generic(t, want), generic(t, got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func generic(t *testing.T, text []byte) (value any) {
	t.Helper()
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}
