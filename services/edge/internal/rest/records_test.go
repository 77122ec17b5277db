package rest_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/hub/pkg/field"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
)

// TestLargestRecordsFit makes records of the longest texts of the widest characters.
func TestLargestRecordsFit(t *testing.T) {
	wide := func(characters int) string { return strings.Repeat("\U0001F4EB", characters) }
	id, user, url := wide(field.MaxID), wide(field.MaxUsername), wide(field.MaxURL)
	now := timestamppb.New(time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC))
	message := &messagev1.InboxMessage{
		Id: id, Username: user, SourceAppId: user, SourceMessageId: id, Title: wide(field.MaxTitle),
		Content: wide(field.MaxContentBytes / 4), Category: wide(field.MaxCategory), Status: 2,
		OccurredAt: now, ReadAt: now, CreateTime: now, ModifyTime: now, CreatorId: user, ModifierId: user,
	}
	for range 20 {
		message.Actions = append(message.Actions, &messagev1.MessageAction{Label: wide(field.MaxLabel), Url: url})
	}
	todo := &todov1.Todo{
		Id: id, Type: 2, SourceSystem: user, SourceBizId: id, AssigneeUsername: user, InitiatorUsername: user,
		Title: wide(field.MaxTitle), Summary: wide(field.MaxSummary), Category: wide(field.MaxCategory), ActionUrl: url,
		DueAt: now, Status: 3, Result: wide(field.MaxResult), ClearedAt: now, ClearedBy: user, Reason: wide(field.MaxReason),
		CreateTime: now, ModifyTime: now, CreatorId: user, ModifierId: user,
		ActionAppId: id, EventCenterRef: id, SourceVersion: proto.Int64(1<<53 - 1),
	}
	person := &peoplev1.User{
		Username: user, UserId: id, Name: id, Email: wide(320), DeptId: id, Active: true, Origin: 2,
		CreateTime: now, ModifyTime: now, CreatorId: user, ModifierId: user,
	}
	for _, tt := range []struct {
		record proto.Message
		path   string
	}{{person, "/directory/users"}, {message, "/message-hub/inbox"}, {todo, "/todo-hub/todos"}} {
		most := int(endpoint(t, http.MethodGet, tt.path).MaxRecord)
		if n := proto.Size(tt.record); n > most || n < most*3/4 {
			t.Errorf("%T takes %d bytes, and its list reserves %d", tt.record, n, most)
		}
	}

	// A list with payloads reserves more. With a budget of one page of 10 records without them it waits in vain.
	todo.Payload = strings.Repeat("0", 16<<10)
	for query, status := range map[string]int{"size=10": 200, "size=7&view=full": 200, "size=10&view=full": 503} {
		f := newFront(t, func(d *rest.Deps) {
			d.MaxListMemory = 10 * 48 << 10
			if status != http.StatusOK {
				d.CallTimeout = 50 * time.Millisecond
			}
		})
		f.hub.reply = &todov1.ListTodosResponse{Todos: slices.Repeat([]*todov1.Todo{todo}, 7), Size: 10}
		if w := f.send(t, http.MethodGet, "/todo-hub/todos?"+query, ""); w.Code != status {
			t.Errorf("%s: status %d, want %d", query, w.Code, status)
		}
	}
}
