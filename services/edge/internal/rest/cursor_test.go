package rest_test

import (
	"net/http"
	"testing"

	"google.golang.org/protobuf/proto"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

func TestTodoCursor(t *testing.T) {
	const open, handle = todov1.TodoStatus_TODO_STATUS_OPEN, todov1.TodoType_TODO_TYPE_HANDLE
	const full = todov1.TodoView_TODO_VIEW_FULL
	start, next := proto.String(""), proto.String("c1.abc")
	for query, want := range map[string]*todov1.ListTodosRequest{
		"cursor=":                           {PageToken: start},
		"cursor":                            {PageToken: start},
		"cursor=c1.abc&size=7":              {PageToken: next, Size: proto.Int64(7)},
		"cursor=c1.":                        {PageToken: proto.String("c1.")},
		"cursor=&page=":                     {PageToken: start},
		"cursor=&page=0":                    {PageToken: start, Page: proto.Int64(0)},
		"cursor=&page=x":                    {PageToken: start, Page: proto.Int64(-1)},
		"cursor=&status=open&type=Handle":   {PageToken: start, Status: open, Type: handle},
		"cursor=&status=all":                {PageToken: start, AnyStatus: true},
		"cursor=c1.abc&status=ALL":          {PageToken: next, AnyStatus: true},
		"cursor=&status=every":              {PageToken: start, Status: -1},
		"cursor=&sort=title":                {PageToken: start, Sort: &todov1.TodoSort{Field: todov1.TodoSortField_TODO_SORT_FIELD_TITLE}},
		"cursor=&sort=CREATETIME":           {PageToken: start, Sort: &todov1.TodoSort{Field: -1}},
		"cursor=x":                          {},
		"cursor=x&page=3":                   {Page: proto.Int64(3)},
		"cursor=x&cursor=y":                 {},
		"cursor=C1.abc&status=open":         {Status: -1},
		"cursor=c2.abc":                     {},
		"cursor=%20":                        {},
		"Cursor=&type=handle":               {Type: -1},
		"status=all":                        {Status: -1},
		"view=full&status=all":              {Status: -1, View: full},
		"view=full&status=open&type=hANDLE": {Status: open, Type: handle, View: full},
		"view=full&status=OPENED":           {Status: -1, View: full},
		"cursor=&view=full":                 {PageToken: start, View: full},
		"view=FULL&status=open":             {Status: -1},
		"view=&type=handle":                 {Type: -1},
		"view=other&view=more":              {},
	} {
		t.Run(query, func(t *testing.T) {
			f := newFront(t)
			if w := f.send(t, "GET", "/todo-hub/todos?"+query, ""); w.Code != http.StatusOK {
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
			f.wantCall(t, want)
		})
	}
}

func TestInboxCursor(t *testing.T) {
	for query, want := range map[string]*messagev1.ListInboxRequest{
		"cursor=&username=amy&status=unread": {
			PageToken: proto.String(""), Username: proto.String("amy"), Status: messagev1.MessageStatus_MESSAGE_STATUS_UNREAD,
		},
		"cursor=c1.abc":            {PageToken: proto.String("c1.abc")},
		"cursor=&status=all":       {PageToken: proto.String(""), Status: -1},
		"cursor=x&status=read":     {Status: -1},
		"view=full&status=Read":    {Status: messagev1.MessageStatus_MESSAGE_STATUS_READ},
		"cursor=x&view=x&page=one": {Page: proto.Int64(-1)},
	} {
		t.Run(query, func(t *testing.T) {
			f := newFront(t)
			if w := f.send(t, "GET", "/message-hub/inbox?"+query, ""); w.Code != http.StatusOK {
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
			f.wantCall(t, want)
		})
	}
}

func TestUpsertInExtendedMode(t *testing.T) {
	review := &todov1.UpsertTodoRequest{Type: todov1.TodoType_TODO_TYPE_REVIEW}
	unknown := &todov1.UpsertTodoRequest{Type: -1}
	for query, want := range map[string]*todov1.UpsertTodoRequest{
		"?view=full": review, "?view=Full": unknown, "?cursor=": unknown, "": unknown,
	} {
		f := newFront(t)
		f.send(t, "POST", "/todo-hub/todos"+query, `{"type":"review"}`)
		f.wantCall(t, want)
	}
}

func TestCursorAndViewStandOnce(t *testing.T) {
	f := newFront(t)
	for query, name := range map[string]string{
		"cursor=&cursor=": "cursor", "cursor=c1.a&cursor=c1.a": "cursor", "cursor=x&cursor=": "cursor", "view=full&view=x": "view",
	} {
		for _, path := range []string{"/todo-hub/todos?", "/message-hub/inbox?"} {
			wantMessage(t, f.send(t, "GET", path+query, ""), http.StatusBadRequest, name+" must not be repeated")
		}
	}
	if f.hub.calls != 0 {
		t.Errorf("the hub was called %d times", f.hub.calls)
	}
}

func TestWalkedListBecomesEnvelope(t *testing.T) {
	for name, tt := range map[string]struct {
		target string
		reply  proto.Message
		want   string
	}{
		"todos": {
			"/todo-hub/todos?cursor=", &todov1.ListTodosResponse{Todos: []*todov1.Todo{aTodo()}, Size: 1, NextPageToken: "c1.abc"},
			`{"code":"0","msg":"ok","data":[` + extended("", "null", "", "null") + `],"page":{"size":1,"nextCursor":"c1.abc"},"count":1}`,
		},
		"inbox": {
			"/message-hub/inbox?cursor=c1.x",
			&messagev1.ListInboxResponse{Messages: []*messagev1.InboxMessage{aMessage()}, Size: 20, Watermark: "c1.w"},
			`{"code":"0","msg":"ok","data":[` + wholeMessage + `],"page":{"size":20,"nextCursor":null,"watermark":"c1.w"},"count":1}`,
		},
		"nothing": {
			"/message-hub/inbox?cursor=", &messagev1.ListInboxResponse{Size: 20},
			`{"code":"0","msg":"ok","data":[],"page":{"size":20,"nextCursor":null,"watermark":null},"count":0}`,
		},
		"a page by its number": {
			"/todo-hub/todos?cursor=x&view=full", &todov1.ListTodosResponse{Size: 20},
			`{"code":"0","msg":"ok","data":[],"page":{"page":1,"totalCount":0,"totalPages":0,"size":20},"count":0}`,
		},
	} {
		for _, local := range []bool{false, true} {
			f := newFront(t)
			f.hub.reply, f.hub.local = tt.reply, local
			t.Run(name, func(t *testing.T) { wantJSON(t, f.send(t, "GET", tt.target, ""), tt.want) })
		}
	}
}

// While hubs are rolled out, one of them may not know the token: it answers a first page again, and its
// number. To show that as the next page would repeat entries and end too early.
func TestHubThatDoesNotKnowCursors(t *testing.T) {
	f := newFront(t)
	f.hub.reply = &todov1.ListTodosResponse{Todos: []*todov1.Todo{aTodo()}, Size: 20, TotalCount: 1}
	wantFailure(t, f.send(t, "GET", "/todo-hub/todos?cursor=", ""), http.StatusServiceUnavailable)
}

func TestUsersAreInExtendedMode(t *testing.T) {
	f := newFront(t, asUser("amy"))
	f.send(t, "GET", "/todo-hub/todos?status=open&type=review", "")
	f.wantCall(t, &todov1.ListTodosRequest{
		AssigneeUsername: new("amy"), Status: todov1.TodoStatus_TODO_STATUS_OPEN, Type: todov1.TodoType_TODO_TYPE_REVIEW,
	})
	f.send(t, "GET", "/message-hub/inbox?status=read", "")
	f.wantCall(t, &messagev1.ListInboxRequest{Username: new("amy"), Status: messagev1.MessageStatus_MESSAGE_STATUS_READ})
}
