package rest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

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

func BenchmarkEncodePage(b *testing.B) {
	for _, n := range []int{20, 200} {
		todos, messages := todoPage(n), messagePage(n)
		b.Run(fmt.Sprintf("todos/%d", n), func(b *testing.B) {
			var buf []byte
			for b.Loop() {
				buf = appendPage(buf[:0], todos.GetTodos(), time.UTC, appendTodo, todos)
			}
			b.SetBytes(int64(len(buf)))
			b.ReportAllocs()
		})
		b.Run(fmt.Sprintf("messages/%d", n), func(b *testing.B) {
			var buf []byte
			for b.Loop() {
				buf = appendPage(buf[:0], messages.GetMessages(), time.UTC, appendMessage, messages)
			}
			b.SetBytes(int64(len(buf)))
			b.ReportAllocs()
		})
		// What the appending encoder is measured against.
		b.Run(fmt.Sprintf("todos with encoding json/%d", n), func(b *testing.B) {
			var size int
			for b.Loop() {
				items := make([]todoItem, n)
				for i, t := range todos.GetTodos() {
					items[i] = todoItemOf(t, time.UTC)
				}
				body, err := json.Marshal(items)
				if err != nil {
					b.Fatal(err)
				}
				size = len(body)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
		})
	}
}

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
	b.Run("push to 10000", func(b *testing.B) {
		b.SetBytes(int64(len(push)))
		b.ReportAllocs()
		for b.Loop() {
			if err := decode(push, &messagev1.PushMessageRequest{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	upsert := []byte(`{"todoId":"travel-2030-000001","type":"HANDLE","sourceBizId":"TR-1","assigneeUsername":"amy.adams",
		"title":"Approve the travel","category":"travel","actionUrl":"/travel/1","dueAt":"2030-01-02T03:04:05.678901Z"}`)
	b.Run("upsert", func(b *testing.B) {
		b.SetBytes(int64(len(upsert)))
		b.ReportAllocs()
		for b.Loop() {
			if err := decode(upsert, &todov1.UpsertTodoRequest{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
