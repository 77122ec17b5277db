package rest_test

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
)

func at(year int, month time.Month, day, hour, minute, sec, nano int) *timestamppb.Timestamp {
	return timestamppb.New(time.Date(year, month, day, hour, minute, sec, nano, time.UTC))
}

func TestRequestBecomesCall(t *testing.T) {
	invalid := &timestamppb.Timestamp{Seconds: math.MinInt64}
	tests := []struct {
		name, method, target, body string
		want                       proto.Message
	}{
		{
			"upsert with every field", http.MethodPost, "/todo-hub/todos",
			`{"todoId":"T/1","type":"REVIEW","sourceSystem":"forged","sourceBizId":"B1","assigneeUsername":"amy",
			  "initiatorUsername":"ian","title":"Ti","summary":"Su","category":"Ca","actionUrl":"/a","dueAt":"2030-05-06T07:08:09.1234567+02:00"}`,
			&todov1.UpsertTodoRequest{
				TodoId: "T/1", Type: todov1.TodoType_TODO_TYPE_REVIEW, SourceBizId: "B1", AssigneeUsername: "amy",
				InitiatorUsername: "ian", Title: "Ti", Summary: "Su", Category: "Ca", ActionUrl: "/a",
				DueAt: at(2030, 5, 6, 5, 8, 9, 123456000),
			},
		},
		{
			"upsert with the fields of the draft", http.MethodPost, "/todo-hub/todos",
			`{"assigneeUserId":"amy","initiatorUserId":"ian","actionAppId":"app","payload": { "a":[1.0, "\u0000<"] } ,"eventCenterRef":"ref","sourceVersion":0}`,
			&todov1.UpsertTodoRequest{
				AssigneeUsername: "amy", InitiatorUsername: "ian", ActionAppId: "app", Payload: `{ "a":[1.0, "\u0000<"] }`,
				EventCenterRef: "ref", SourceVersion: new(int64),
			},
		},
		{
			"user ids where names are null", http.MethodPost, "/todo-hub/todos",
			`{"assigneeUsername":null,"assigneeUserId":"amy","initiatorUsername":null,"initiatorUserId":null,"sourceVersion":null}`,
			&todov1.UpsertTodoRequest{AssigneeUsername: "amy"},
		},
		{
			"names win, whatever stands beside them", http.MethodPost, "/todo-hub/todos",
			`{"assigneeUsername":"amy","assigneeUserId":[1],"initiatorUsername":"","initiatorUserId":7}`,
			&todov1.UpsertTodoRequest{AssigneeUsername: "amy"},
		},
		{"upsert of nothing", http.MethodPost, "/todo-hub/todos", `{}`, &todov1.UpsertTodoRequest{}},
		{
			"null is absent", http.MethodPost, "/todo-hub/todos", `{"todoId":null,"type":null,"dueAt":null,"unknown":null}`,
			&todov1.UpsertTodoRequest{},
		},
		{
			"names are exact", http.MethodPost, "/todo-hub/todos", `{"TodoId":"x","todo_id":"x","TITLE":7,"title":"t"}`,
			&todov1.UpsertTodoRequest{Title: "t"},
		},
		{
			"values no message can hold travel as ones that the hub refuses", http.MethodPost, "/todo-hub/todos",
			`{"type":"handle","dueAt":"tomorrow"}`,
			&todov1.UpsertTodoRequest{Type: -1, DueAt: invalid},
		},
		{
			"blank words and instants are absent", http.MethodPost, "/todo-hub/todos", `{"type":"\t ","dueAt":" "}`,
			&todov1.UpsertTodoRequest{},
		},
		{
			"clear takes the id from the path alone", http.MethodPost, "/todo-hub/todos/T1/clear",
			`{"todoId":"other","result":"done","clearedAt":"2030-01-01T00:00:00Z","clearedBy":"bob","reason":"why"}`,
			&todov1.ClearTodoRequest{TodoId: "T1", Result: "done", ClearedAt: at(2030, 1, 1, 0, 0, 0, 0), ClearedBy: "bob", Reason: "why"},
		},
		{
			"clear with a version", http.MethodPost, "/todo-hub/todos/T1/clear", `{"sourceVersion":9007199254740993}`,
			&todov1.ClearTodoRequest{TodoId: "T1", SourceVersion: proto.Int64(9007199254740993)},
		},
		{
			"invalidate with a version", http.MethodPost, "/todo-hub/todos/T1/invalidate?sourceVersion=12", "",
			&todov1.InvalidateTodoRequest{TodoId: "T1", SourceVersion: proto.Int64(12)},
		},
		{
			"a version that is no number", http.MethodPost, "/todo-hub/todos/T1/invalidate?sourceVersion=1e3", "",
			&todov1.InvalidateTodoRequest{TodoId: "T1", SourceVersion: proto.Int64(-1)},
		},
		{
			"an empty version", http.MethodPost, "/todo-hub/todos/T1/invalidate?sourceVersion=", "",
			&todov1.InvalidateTodoRequest{TodoId: "T1"},
		},
		{
			"invalidate", http.MethodPost, "/todo-hub/todos/T1/invalidate?reason=w%C3%B6rk+%26%20more&todo_id=other", "",
			&todov1.InvalidateTodoRequest{TodoId: "T1", Reason: "wörk & more"},
		},
		{
			"a body that is not asked for is ignored", http.MethodPost, "/todo-hub/todos/T1/invalidate", `{"reason":5`,
			&todov1.InvalidateTodoRequest{TodoId: "T1"},
		},
		{
			"push with every field", http.MethodPost, "/message-hub/messages",
			`{"sourceAppId":"forged","sourceMessageId":"M1","targetUsernames":["amy","bob","amy"],"title":"Ti","content":"Co",
			  "category":"Ca","actions":[{"label":"L","url":"/u","more":1},{},{"url":null}],"occurredAt":"2030-01-01t00:00:00z"}`,
			&messagev1.PushMessageRequest{
				SourceMessageId: "M1", TargetUsernames: []string{"amy", "bob", "amy"}, Title: "Ti", Content: "Co", Category: "Ca",
				Actions:    []*messagev1.MessageAction{{Label: "L", Url: "/u"}, {}, {}},
				OccurredAt: at(2030, 1, 1, 0, 0, 0, 0),
			},
		},
		{
			"push without lists", http.MethodPost, "/message-hub/messages", `{"targetUsernames":null,"actions":null}`,
			&messagev1.PushMessageRequest{},
		},
		{
			"a null target is an empty one", http.MethodPost, "/message-hub/messages", `{"targetUsernames":["a",null]}`,
			&messagev1.PushMessageRequest{TargetUsernames: []string{"a", ""}},
		},
		{
			"unread count", http.MethodGet, "/message-hub/unread-count?username=amy", "",
			&messagev1.CountUnreadRequest{Username: "amy"},
		},
		{
			"mark read", http.MethodPost, "/message-hub/messages/M%2F1/read?username=amy&id=other", "",
			&messagev1.MarkReadRequest{SourceMessageId: "M/1", Username: "amy"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFront(t)
			if w := f.send(t, tt.method, tt.target, tt.body); w.Code != http.StatusOK {
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
			f.wantCall(t, tt.want)
		})
	}
}

const wholeTodo = `{
	"id":"T1","type":"HANDLE","sourceSystem":"erp","sourceBizId":"B1","assigneeUsername":"amy","initiatorUsername":"",
	"title":"<b>&\"\u2028","summary":"","category":"Ca","actionUrl":"/a","actionAppId":"","dueAt":"2030-05-06T05:08:09.1234Z",
	"status":"CLEARED","result":"done","clearedAt":null,"clearedBy":"","reason":"",
	"createTime":"2029-12-31 23:59:59","modifyTime":"2030-01-01 00:00:00",
	"creator":"erp","creatorId":"erp","modifier":"oa","modifierId":"oa","delete":false}`

func aTodo() *todov1.Todo {
	return &todov1.Todo{
		Id: "T1", Type: todov1.TodoType_TODO_TYPE_HANDLE, SourceSystem: "erp", SourceBizId: "B1", AssigneeUsername: "amy",
		Title: "<b>&\"\u2028", Category: "Ca", ActionUrl: "/a", DueAt: at(2030, 5, 6, 5, 8, 9, 123400789),
		Status: todov1.TodoStatus_TODO_STATUS_CLEARED, Result: "done",
		CreateTime: at(2029, 12, 31, 23, 59, 59, 999999000), ModifyTime: at(2030, 1, 1, 0, 0, 0, 0),
		CreatorId: "erp", ModifierId: "oa",
	}
}

const wholeMessage = `{
	"id":"9-1","username":"amy","sourceAppId":"erp","sourceMessageId":"M:1","idempotencyKey":"erp:M:1:amy",
	"title":"Ti","content":"Co","category":"","actions":[{"label":"","url":"/u"}],"status":"READ",
	"occurredAt":"0001-01-01T00:00:00Z","readAt":"9999-12-31T23:59:59.999999Z",
	"createTime":"2030-01-01 00:00:00","modifyTime":"2030-01-01 00:00:01",
	"creator":"erp","creatorId":"erp","modifier":"oa","modifierId":"oa","delete":false}`

func aMessage() *messagev1.InboxMessage {
	return &messagev1.InboxMessage{
		Id: "9-1", Username: "amy", SourceAppId: "erp", SourceMessageId: "M:1", Title: "Ti", Content: "Co",
		Actions: []*messagev1.MessageAction{{Url: "/u"}}, Status: messagev1.MessageStatus_MESSAGE_STATUS_READ,
		OccurredAt: at(1, 1, 1, 0, 0, 0, 0), ReadAt: at(9999, 12, 31, 23, 59, 59, 999999999),
		CreateTime: at(2030, 1, 1, 0, 0, 0, 0), ModifyTime: at(2030, 1, 1, 0, 0, 1, 0),
		CreatorId: "erp", ModifierId: "oa",
	}
}

func TestReplyBecomesEnvelope(t *testing.T) {
	tests := []struct {
		name, method, target, body string
		reply                      proto.Message
		want                       string
	}{
		{
			"upsert", http.MethodPost, "/todo-hub/todos", "{}",
			&todov1.UpsertTodoResponse{Todo: aTodo()}, `{"code":"0","msg":"ok","data":` + wholeTodo + `}`,
		},
		{
			"clear", http.MethodPost, "/todo-hub/todos/T1/clear", "{}",
			&todov1.ClearTodoResponse{Todo: aTodo()}, `{"code":"0","msg":"ok","data":` + wholeTodo + `}`,
		},
		{
			"invalidate", http.MethodPost, "/todo-hub/todos/T1/invalidate", "",
			&todov1.InvalidateTodoResponse{Todo: aTodo()}, `{"code":"0","msg":"ok","data":` + wholeTodo + `}`,
		},
		{
			"todos", http.MethodGet, "/todo-hub/todos", "",
			&todov1.ListTodosResponse{Todos: []*todov1.Todo{aTodo(), aTodo()}, Page: 3, Size: 2, TotalCount: 9},
			`{"code":"0","msg":"ok","data":[` + wholeTodo + `,` + wholeTodo + `],
			  "page":{"page":4,"totalCount":9,"totalPages":5,"size":2},"count":2}`,
		},
		{
			"inbox", http.MethodGet, "/message-hub/inbox", "",
			&messagev1.ListInboxResponse{Messages: []*messagev1.InboxMessage{aMessage()}, Page: 0, Size: 20, TotalCount: 1},
			`{"code":"0","msg":"ok","data":[` + wholeMessage + `],
			  "page":{"page":1,"totalCount":1,"totalPages":1,"size":20},"count":1}`,
		},
		{
			"empty list", http.MethodGet, "/message-hub/inbox", "",
			&messagev1.ListInboxResponse{Size: 20},
			`{"code":"0","msg":"ok","data":[],"page":{"page":1,"totalCount":0,"totalPages":0,"size":20},"count":0}`,
		},
		{
			"numbers beyond any list", http.MethodGet, "/todo-hub/todos", "",
			&todov1.ListTodosResponse{Page: math.MaxInt64, Size: math.MaxInt64, TotalCount: math.MaxInt64},
			`{"code":"0","msg":"ok","data":[],"page":{"page":9223372036854775807,"totalCount":9223372036854775807,
			  "totalPages":1,"size":9223372036854775807},"count":0}`,
		},
		{
			"unread count is a number", http.MethodGet, "/message-hub/unread-count?username=a", "",
			&messagev1.CountUnreadResponse{Count: math.MaxInt64}, `{"code":"0","msg":"ok","data":9223372036854775807}`,
		},
		{
			"push", http.MethodPost, "/message-hub/messages", "{}",
			&messagev1.PushMessageResponse{Created: 7, Duplicates: 3}, `{"code":"0","msg":"ok","data":null}`,
		},
		{
			"mark read", http.MethodPost, "/message-hub/messages/M1/read", "",
			&messagev1.MarkReadResponse{Switched: 1}, `{"code":"0","msg":"ok","data":null}`,
		},
	}
	for _, tt := range tests {
		for _, local := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/local=%t", tt.name, local), func(t *testing.T) {
				f := newFront(t)
				f.hub.reply, f.hub.local = tt.reply, local
				w := f.send(t, tt.method, tt.target, tt.body)
				wantJSON(t, w, tt.want)
				wantHeader(t, w, "Content-Type", "application/json")
				wantHeader(t, w, "X-Content-Type-Options", "nosniff")
				wantHeader(t, w, "Cache-Control", "no-store")
				wantLength(t, w)
				if f.hub.decoded {
					t.Error("the answer was decoded")
				}
			})
		}
	}
}

func TestPushCountsAreHeaders(t *testing.T) {
	f := newFront(t)
	f.hub.reply = &messagev1.PushMessageResponse{Created: 7, Duplicates: 3}
	w := f.send(t, http.MethodPost, "/message-hub/messages", "{}")
	wantHeader(t, w, "Hub-Created", "7")
	wantHeader(t, w, "Hub-Duplicates", "3")
}

func TestMarkReadCountIsAHeader(t *testing.T) {
	f := newFront(t)
	for _, switched := range []int32{0, 2} {
		f.hub.reply = &messagev1.MarkReadResponse{Switched: switched}
		w := f.send(t, http.MethodPost, "/message-hub/messages/M1/read?username=amy", "")
		wantHeader(t, w, "Hub-Switched", strconv.Itoa(int(switched)))
	}
}

func TestAuditTimesFollowTheZone(t *testing.T) {
	zone := time.FixedZone("east", 5*3600+45*60)
	f := newFront(t, func(d *rest.Deps) { d.Zone = zone })
	f.hub.reply = &todov1.UpsertTodoResponse{Todo: aTodo()}
	w := f.send(t, http.MethodPost, "/todo-hub/todos", "{}")
	item, _ := parse(t, w.Body.String()).(map[string]any)["data"].(map[string]any)
	if item["createTime"] != "2030-01-01 05:44:59" || item["dueAt"] != "2030-05-06T05:08:09.1234Z" {
		t.Errorf("createTime %v, dueAt %v", item["createTime"], item["dueAt"])
	}
}

func TestCallDeadline(t *testing.T) {
	tests := map[string]struct {
		target, body string
		want         time.Duration
	}{
		"upsert":               {"/todo-hub/todos", `{}`, 5 * time.Second},
		"push to two":          {"/message-hub/messages", `{"targetUsernames":["a","b"]}`, 5*time.Second + 2*time.Millisecond},
		"the client asks more": {"/message-hub/messages", `{}`, 5 * time.Second},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFront(t)
			before := time.Now()
			f.send(t, http.MethodPost, tt.target, tt.body, "Grpc-Timeout", "1H")
			after := time.Now()
			if f.hub.deadline.Before(before.Add(tt.want)) || f.hub.deadline.After(after.Add(tt.want)) {
				t.Errorf("deadline %s after the start, want %s", f.hub.deadline.Sub(before), tt.want)
			}
		})
	}
}
