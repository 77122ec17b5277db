package rest_test

import (
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

func TestTodoQuery(t *testing.T) {
	sorted := func(field todov1.TodoSortField, descending bool) *todov1.ListTodosRequest {
		return &todov1.ListTodosRequest{Sort: &todov1.TodoSort{Field: field, Descending: descending}}
	}
	tests := map[string]*todov1.ListTodosRequest{
		"":                                {},
		"status=&type=&page=&size=&sort=": {},
		"assigneeUsername=a%20b%2B":       {AssigneeUsername: proto.String("a b+")},
		"assigneeUsername=":               {AssigneeUsername: proto.String("")},
		"assigneeusername=a":              {},
		"status=OPEN&type=HANDLE":         {Status: todov1.TodoStatus_TODO_STATUS_OPEN, Type: todov1.TodoType_TODO_TYPE_HANDLE},
		"status=CLEARED&type=REVIEW":      {Status: todov1.TodoStatus_TODO_STATUS_CLEARED, Type: todov1.TodoType_TODO_TYPE_REVIEW},
		"status=INVALID":                  {Status: todov1.TodoStatus_TODO_STATUS_INVALID},
		"status=open&type=handle":         {Status: -1, Type: -1},
		"status=1&type=2":                 {Status: -1, Type: -1},
		"status=TODO_STATUS_OPEN":         {Status: -1},
		"page=0&size=1":                   {Page: proto.Int64(0), Size: proto.Int64(1)},
		"page=007":                        {Page: proto.Int64(7)},
		"page=9223372036854775807":        {Page: proto.Int64(math.MaxInt64)},
		"page=9223372036854775808&size=99999999999999999999": {Page: proto.Int64(math.MaxInt64), Size: proto.Int64(math.MaxInt64)},
		"page=-1&size=-1":         {Page: proto.Int64(-1), Size: proto.Int64(0)},
		"page=+1&size=%2B1":       {Page: proto.Int64(-1), Size: proto.Int64(0)},
		"page=1.0&size=1e2":       {Page: proto.Int64(-1), Size: proto.Int64(0)},
		"page=0x1&size=1_0":       {Page: proto.Int64(-1), Size: proto.Int64(0)},
		"page=one&size=%20":       {Page: proto.Int64(-1), Size: proto.Int64(0)},
		"page=%D9%A1":             {Page: proto.Int64(-1)}, // an Arabic digit
		"sort=modifyTime":         sorted(todov1.TodoSortField_TODO_SORT_FIELD_MODIFY_TIME, false),
		"sort=createTime,asc":     sorted(todov1.TodoSortField_TODO_SORT_FIELD_CREATE_TIME, false),
		"sort=dueAt,DESC":         sorted(todov1.TodoSortField_TODO_SORT_FIELD_DUE_AT, true),
		"sort=clearedAt,Desc":     sorted(todov1.TodoSortField_TODO_SORT_FIELD_CLEARED_AT, true),
		"sort=title%2CAsc":        sorted(todov1.TodoSortField_TODO_SORT_FIELD_TITLE, false),
		"sort=category":           sorted(todov1.TodoSortField_TODO_SORT_FIELD_CATEGORY, false),
		"sort=sourceSystem":       sorted(todov1.TodoSortField_TODO_SORT_FIELD_SOURCE_SYSTEM, false),
		"sort=id,desc":            sorted(todov1.TodoSortField_TODO_SORT_FIELD_ID, true),
		"sort=x":                  sorted(-1, false),
		"sort=MODIFYTIME":         sorted(-1, false),
		"sort=modify_time":        sorted(-1, false),
		"sort=modifyTime,":        sorted(-1, false),
		"sort=modifyTime,down":    sorted(-1, false),
		"sort=modifyTime,desc,1":  sorted(-1, false),
		"sort=modifyTime,%20desc": sorted(-1, false),
		"sort=,desc":              sorted(-1, true),
		"sort=x;drop":             nil,
		"sort=-modifyTime":        sorted(-1, false),
		"sort=readAt":             sorted(-1, false),
		"other=1&other=2":         {},
	}
	for query, want := range tests {
		t.Run(query, func(t *testing.T) {
			f := newFront(t)
			w := f.send(t, "GET", "/todo-hub/todos?"+query, "")
			if want == nil {
				wantMessage(t, w, http.StatusBadRequest, "the query string is not valid")
				return
			}
			if w.Code != http.StatusOK {
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
			f.wantCall(t, want)
		})
	}
}

func TestInboxQuery(t *testing.T) {
	tests := map[string]*messagev1.ListInboxRequest{
		"":          {},
		"username=": {Username: proto.String("")},
		"username=amy&status=UNREAD&sourceAppId=erp&sourceMessageId=M%2F1&page=2&size=50&sort=readAt,desc": {
			Username: proto.String("amy"), Status: messagev1.MessageStatus_MESSAGE_STATUS_UNREAD, SourceAppId: "erp",
			SourceMessageId: "M/1", Page: proto.Int64(2), Size: proto.Int64(50),
			Sort: &messagev1.InboxSort{Field: messagev1.InboxSortField_INBOX_SORT_FIELD_READ_AT, Descending: true},
		},
		"status=READ":                   {Status: messagev1.MessageStatus_MESSAGE_STATUS_READ},
		"status=unread":                 {Status: -1},
		"sourceAppId=&sourceMessageId=": {},
	}
	for i, field := range []string{"", "occurredAt", "createTime", "modifyTime", "readAt", "category", "sourceAppId", "id"} {
		if field != "" {
			tests["sort="+field] = &messagev1.ListInboxRequest{Sort: &messagev1.InboxSort{Field: messagev1.InboxSortField(i)}}
		}
	}
	for query, want := range tests {
		t.Run(query, func(t *testing.T) {
			f := newFront(t)
			if w := f.send(t, "GET", "/message-hub/inbox?"+query, ""); w.Code != http.StatusOK {
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
			f.wantCall(t, want)
		})
	}
}

func TestParametersStandOnce(t *testing.T) {
	known := map[string][]string{
		"GET /todo-hub/todos":                {"assigneeUsername", "status", "type", "page", "size", "sort"},
		"POST /todo-hub/todos/T1/invalidate": {"reason"},
		"GET /message-hub/inbox":             {"username", "status", "sourceAppId", "sourceMessageId", "page", "size", "sort"},
		"GET /message-hub/unread-count":      {"username"},
		"POST /message-hub/messages/M1/read": {"username"},
		"GET /counts":                        {"username", "lists"},
	}
	f := newFront(t)
	for route, names := range known {
		method, path, _ := strings.Cut(route, " ")
		all := url.Values{}
		for i := len(names) - 1; i >= 0; i-- {
			name := names[i]
			// The first faulty parameter in the order of the table is the one that is named.
			all[name] = []string{"1", "2"}
			wantMessage(t, f.send(t, method, path+"?"+all.Encode(), ""), http.StatusBadRequest, name+" must not be repeated")
		}
	}
	if f.hub.calls != 0 {
		t.Errorf("the hub was called %d times", f.hub.calls)
	}
}

func TestQueryThatIsNoText(t *testing.T) {
	f := newFront(t)
	for _, query := range []string{
		"username=%zz", "username=%", "username=%f", "username=a;status=READ", "username=%ff", "username=a%c3%28",
		"%ff=a&username=a", "other=%ff&username=a", "username=a&other=%c3&other=%a9",
	} {
		wantMessage(t, f.send(t, "GET", "/message-hub/inbox?"+query, ""), http.StatusBadRequest, "the query string is not valid")
		wantMessage(t, f.send(t, "POST", "/message-hub/messages/M1/read?"+query, ""), http.StatusBadRequest, "the query string is not valid")
	}
	if f.hub.calls != 0 {
		t.Errorf("the hub was called %d times", f.hub.calls)
	}
}
