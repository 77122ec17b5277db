package rest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/permission"
	"example.com/hub/services/edge/internal/rest"
)

// asAdmin makes every request one of carla, who may do everything.
func asAdmin(d *rest.Deps) {
	d.Authenticator = principal{User: "carla", Permissions: permission.All}
	d.Users = true
}

// groups have amy and ben in the department d, whatever the role.
type groups struct {
	dept, role *string
	err        error
}

// Select implements rest.Groups.
func (g *groups) Select(_ context.Context, deptID, roleID *string) ([]string, error) {
	g.dept, g.role = deptID, roleID
	if g.err != nil || deptID != nil && *deptID != "d" {
		return nil, g.err
	}
	return []string{"amy", "ben"}, nil
}

func TestAdministratorsSearch(t *testing.T) {
	todos := func(m *todov1.SearchTodosRequest, chosen *todov1.TodoAssignees) proto.Message {
		m.Assignees = chosen
		return m
	}
	messages := func(m *messagev1.SearchInboxRequest, chosen *messagev1.InboxUsers) proto.Message {
		m.Users = chosen
		return m
	}
	for query, want := range map[string]proto.Message{
		"todos":            &todov1.SearchTodosRequest{},
		"todos?userId=uzo": todos(&todov1.SearchTodosRequest{}, &todov1.TodoAssignees{Usernames: []string{"zo"}, ChosenBy: "userId=uzo"}),
		"todos?userId=zo":  todos(&todov1.SearchTodosRequest{}, &todov1.TodoAssignees{ChosenBy: "userId=zo"}), // nobody's
		"todos?deptId=d":   todos(&todov1.SearchTodosRequest{}, &todov1.TodoAssignees{Usernames: []string{"amy", "ben"}, ChosenBy: "deptId=d"}),
		"todos?deptId=e":   todos(&todov1.SearchTodosRequest{}, &todov1.TodoAssignees{ChosenBy: "deptId=e"}),
		"todos?roleId=r&deptId=d&userId=uben": todos(&todov1.SearchTodosRequest{},
			&todov1.TodoAssignees{Usernames: []string{"ben"}, ChosenBy: "userId=uben\ndeptId=d\nroleId=r"}),
		"todos?roleId=r&userId=uzo": todos(&todov1.SearchTodosRequest{}, &todov1.TodoAssignees{ChosenBy: "userId=uzo\nroleId=r"}),
		"todos?sourceSystem=erp&status=cleared&type=review&cursor=c1.x&size=7&view=full&sort=id&assigneeUsername=amy": &todov1.SearchTodosRequest{
			SourceSystem: "erp", Status: todov1.TodoStatus_TODO_STATUS_CLEARED, Type: todov1.TodoType_TODO_TYPE_REVIEW,
			PageToken: "c1.x", Size: proto.Int64(7), View: todov1.TodoView_TODO_VIEW_FULL,
		},
		"todos?status=All&page=&cursor=": &todov1.SearchTodosRequest{AnyStatus: true},
		"todos?cursor=other":             &todov1.SearchTodosRequest{PageToken: "other"},
		"messages?deptId=d&sourceAppId=erp&status=read": messages(
			&messagev1.SearchInboxRequest{SourceAppId: "erp", Status: messagev1.MessageStatus_MESSAGE_STATUS_READ},
			&messagev1.InboxUsers{Usernames: []string{"amy", "ben"}, ChosenBy: "deptId=d"},
		),
		"messages?size=3&cursor=c1.y": &messagev1.SearchInboxRequest{PageToken: "c1.y", Size: proto.Int64(3)},
	} {
		for front, hub := range map[string]string{"/portal/admin/": "", "/admin/": "hub"} {
			f := newFront(t, asAdmin, withDirectory(&knownIDs{}), func(d *rest.Deps) { d.Groups = &groups{} })
			path := front + query
			if hub != "" {
				path = front + strings.NewReplacer("todos", "todo-hub/todos", "messages", "message-hub/inbox").Replace(query)
			}
			if w := f.send(t, http.MethodGet, path, ""); w.Code != http.StatusOK {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
				continue
			}
			f.wantCall(t, want)
		}
	}
}

func TestAnAdministratorsPageHasAPlaceAndNoNumber(t *testing.T) {
	f := newFront(t, asAdmin)
	at := timestamppb.Now()
	f.hub.reply = &todov1.SearchTodosResponse{
		Todos: []*todov1.Todo{{Id: "a", ActionAppId: "app", Payload: `{"n":1}`, CreateTime: at, ModifyTime: at}}, Size: 20, NextPageToken: "c1.z",
	}
	var page struct {
		Data  []map[string]any
		Page  map[string]any
		Count int
	}
	read := func(w *httptest.ResponseRecorder) {
		t.Helper()
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	read(f.send(t, http.MethodGet, "/admin/todo-hub/todos", ""))
	if len(page.Page) != 2 || page.Page["nextCursor"] != "c1.z" || page.Page["size"] != 20.0 || page.Count != 1 {
		t.Errorf("the page is %v", page)
	}
	if page.Data[0]["actionAppId"] != "app" || page.Data[0]["payload"] == nil {
		t.Errorf("the item is not extended: %v", page.Data[0])
	}
	f.hub.reply = &messagev1.SearchInboxResponse{Size: 20}
	read(f.send(t, http.MethodGet, "/admin/message-hub/inbox", ""))
	if next, ok := page.Page["nextCursor"]; !ok || next != nil || len(page.Page) != 2 {
		t.Errorf("the last page is %v, want no watermark", page.Page)
	}
}

func TestAdministratorsChange(t *testing.T) {
	for path, tt := range map[string]struct {
		body string
		want proto.Message
	}{
		"/admin/todo-hub/todos/a%2Fb/clear":            {`{"result":"done","reason":"gone","clearedBy":"ben"}`, &todov1.AdminClearTodoRequest{TodoId: "a/b", Result: "done", Reason: "gone"}},
		"/portal/admin/todos/a/clear":                  {`{}`, &todov1.AdminClearTodoRequest{TodoId: "a"}},
		"/admin/message-hub/messages/m/read?userId=uz": {"", &messagev1.AdminMarkReadRequest{SourceMessageId: "m", Username: "z"}},
		"/portal/admin/messages/m/read?username=amy":   {"", &messagev1.AdminMarkReadRequest{SourceMessageId: "m", Username: "amy"}},
		"/portal/admin/messages/m/read?username=amy&userId=uz": {
			"", &messagev1.AdminMarkReadRequest{SourceMessageId: "m", Username: "amy"},
		},
		"/admin/message-hub/messages/m/read": {"", &messagev1.AdminMarkReadRequest{SourceMessageId: "m"}}, // which the hub refuses
	} {
		f := newFront(t, asAdmin, withDirectory(&knownIDs{}))
		if w := f.send(t, http.MethodPost, path, tt.body); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
			continue
		}
		f.wantCall(t, tt.want)
	}
}

func TestFaultsOfAnAdministrator(t *testing.T) {
	for path, want := range map[string]string{
		"/admin/todo-hub/todos?page=0":                           "page must not stand beside a cursor",
		"/admin/todo-hub/todos?page=1&cursor=":                   "page must not stand beside a cursor",
		"/admin/todo-hub/todos?userId=":                          "user id must not be empty",
		"/admin/todo-hub/todos?userId=a&userId=a":                "userId must not be repeated",
		"/admin/todo-hub/todos?cursor=&cursor=":                  "cursor must not be repeated",
		"/admin/todo-hub/todos?deptId=%0Ad":                      "dept id must not contain control characters",
		"/admin/message-hub/inbox?roleId=+":                      "role id must not be empty",
		"/admin/message-hub/inbox?deptId=d":                      "departments and roles are not known here",
		"/portal/admin/messages?roleId=r":                        "departments and roles are not known here",
		"/portal/admin/todos?userId=" + strings.Repeat("a", 129): "user id must be at most 128 characters",
		"/portal/admin/todos?userId=" + strings.Repeat("a", 256): "user id must be at most 255 characters",
	} {
		f := newFront(t, asAdmin)
		wantMessage(t, f.send(t, http.MethodGet, path, ""), http.StatusBadRequest, want)
		if f.hub.calls > 0 {
			t.Errorf("%s: the hub was called", path)
		}
	}
	dir, known := &knownIDs{}, &groups{}
	f := newFront(t, asAdmin, withDirectory(dir), func(d *rest.Deps) { d.Groups = known })
	wantMessage(t, f.send(t, http.MethodPost, "/admin/message-hub/messages/m/read?userId=zo", ""), http.StatusBadRequest,
		"user id is not the id of a user")
	known.err = status.Error(codes.InvalidArgument, "more than 5000 users match: narrow the filter")
	wantMessage(t, f.send(t, http.MethodGet, "/admin/todo-hub/todos?roleId=r", ""), http.StatusBadRequest,
		"more than 5000 users match: narrow the filter")
	known.err = status.Error(codes.Unavailable, "10.0.0.1 is away")
	wantFailure(t, f.send(t, http.MethodGet, "/admin/todo-hub/todos?deptId=d", ""), http.StatusServiceUnavailable)
	dir.err = known.err
	wantFailure(t, f.send(t, http.MethodGet, "/admin/todo-hub/todos?userId=uzo", ""), http.StatusServiceUnavailable)
	if f.hub.calls > 0 {
		t.Error("the hub was called")
	}
}

// audits are the lines of administrators' calls.
func (f *front) audits(t *testing.T) (lines []map[string]any) {
	t.Helper()
	for line := range strings.Lines(f.log.String()) {
		var got map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		if got["audit"] == true {
			lines = append(lines, got)
		}
	}
	return lines
}

func TestEveryCallOfAnAdministratorLeavesALine(t *testing.T) {
	for _, tt := range []struct{ method, path, body, route, ids string }{
		{"GET", "/admin/todo-hub/todos?userId=amy&sourceSystem=erp&cursor=c1.x&token=t", "", "GET /admin/todo-hub/todos", `{"source_system":"erp","user_id":"amy"}`},
		{"GET", "/admin/message-hub/inbox", "", "GET /admin/message-hub/inbox", `null`},
		{"POST", "/portal/admin/todos/t-1/clear", `{"result":"done"}`, "POST /portal/admin/todos/{todoId}/clear", `{"todo_id":"t-1"}`},
		{"POST", "/admin/message-hub/messages/m-1/read?username=amy", "", "POST /admin/message-hub/messages/{id}/read", `{"source_message_id":"m-1","username":"amy"}`},
		{"POST", "/admin/apps", `{"appId":"crm"}`, "POST /admin/apps", `{"app_id":"crm"}`},
	} {
		f := newFront(t, asAdmin)
		w := f.send(t, tt.method, tt.path, tt.body)
		lines := f.audits(t)
		if len(lines) != 1 {
			t.Errorf("%s: %d lines", tt.path, len(lines))
			continue
		}
		got := lines[0]
		ids, err := json.Marshal(got["ids"])
		if err != nil {
			t.Fatal(err)
		}
		if got["user"] != "carla" || got["route"] != tt.route || got["status"] != float64(w.Code) || string(ids) != tt.ids || got["level"] != "INFO" ||
			got["request_id"] != w.Header().Get("X-Request-Id") {
			t.Errorf("%s: %v", tt.path, got)
		}
	}
}

func TestCallsOfOthersLeaveNoLine(t *testing.T) {
	f := newFront(t, asUser("amy")) // who has the permission todos
	f.send(t, http.MethodGet, "/todo-hub/todos", "")
	if lines := f.audits(t); len(lines) > 0 {
		t.Errorf("a user's own list: %v", lines)
	}
	w := f.send(t, http.MethodGet, "/admin/message-hub/inbox?userId=ben", "")
	wantMessage(t, w, http.StatusForbidden, "insufficient_scope: this user may not make the call")
	if lines := f.audits(t); len(lines) != 1 || lines[0]["status"] != 403.0 || lines[0]["user"] != "amy" {
		t.Errorf("a call that is refused: %v, want a line", lines)
	}
	f = newFront(t)
	wantFailure(t, f.send(t, http.MethodGet, "/admin/message-hub/inbox", ""), http.StatusForbidden)
	wantFailure(t, f.send(t, http.MethodGet, "/admin/message-hub/inbox", "", "Authorization", ""), http.StatusUnauthorized)
	if lines := f.audits(t); len(lines) > 0 {
		t.Errorf("a client and a stranger: %v", lines)
	}
}

// A permission may have been taken away a moment ago, so a session is asked about whenever the rule has one.
func TestPermissionsOfASessionAreFresh(t *testing.T) {
	for path, fresh := range map[string]bool{
		"/admin/todo-hub/todos": true, "/portal/admin/todos": true, "/todo-hub/todos": false,
	} {
		s := &sessions{}
		f := newFront(t, withUsers(s))
		if w := f.send(t, http.MethodGet, path, "", "Authorization", "", "Cookie", "session=amy"); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		if len(s.fresh) != 1 || s.fresh[0] != fresh {
			t.Errorf("%s: asked freshly %v, want %v", path, s.fresh, fresh)
		}
	}
}
