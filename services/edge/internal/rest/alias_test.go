package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/portal"
	"example.com/hub/services/edge/internal/rest"
)

// withAPI adds the portal's API, whose requests are those of other endpoints.
func withAPI(d *rest.Deps) { d.Areas = append(d.Areas, portal.API()) }

func TestPortalsRequestsBecomeThoseOfHubs(t *testing.T) {
	todos := func(status todov1.TodoStatus, kind todov1.TodoType, token string) *todov1.ListTodosRequest {
		return &todov1.ListTodosRequest{AssigneeUsername: proto.String("ämy"), Status: status, Type: kind, PageToken: &token}
	}
	sized := todos(1, 1, "")
	sized.Size = proto.Int64(7)
	inbox := func(status messagev1.MessageStatus, token string) *messagev1.ListInboxRequest {
		return &messagev1.ListInboxRequest{Username: proto.String("ämy"), Status: status, PageToken: &token}
	}
	for _, tt := range []struct {
		method, target, body string
		want                 proto.Message
	}{
		{"GET", "/portal/todos", "", todos(1, 1, "")},
		{"GET", "/portal/todos?list=toHandle&size=7&page=3&sort=title&assigneeUsername=ben&status=CLEARED&cursor=", "", sized},
		{"GET", "/portal/todos?list=toRead", "", todos(1, 2, "")},
		{"GET", "/portal/todos?list=done&cursor=c1.%2B%26", "", todos(2, 1, "c1.+&")},
		{"GET", "/portal/todos?list=read&cursor=c1.x", "", todos(2, 2, "c1.x")},
		{"GET", "/portal/todos?size=x", "", func() proto.Message { m := todos(1, 1, ""); m.Size = proto.Int64(0); return m }()},
		{"GET", "/portal/messages", "", inbox(0, "")},
		{"GET", "/portal/messages?status=unRead&cursor=c1.x&username=ben", "", inbox(1, "c1.x")},
		{"GET", "/portal/messages?status=x", "", inbox(-1, "")},
		{"POST", "/portal/messages/a%2Fb%20%C3%A4%25/read", "", &messagev1.MarkReadRequest{SourceMessageId: "a/b ä%", Username: "ämy"}},
		{"POST", "/portal/messages/read-all/read", "", &messagev1.MarkReadRequest{SourceMessageId: "read-all", Username: "ämy"}},
		{"POST", "/portal/messages/read-all", `{"upTo":"c1.y","category":"c"}`, &messagev1.MarkAllReadRequest{Username: "ämy", UpTo: "c1.y", Category: "c"}},
	} {
		f := newFront(t, asUser("ämy"), withAPI)
		if w := f.send(t, tt.method, tt.target, tt.body); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", tt.target, w.Code, w.Body)
		}
		f.wantCall(t, tt.want)
		if f.hub.calls != 1 || f.hub.caller.User != "ämy" {
			t.Errorf("%s: %d calls by %+v", tt.target, f.hub.calls, f.hub.caller)
		}
		path, _, _ := strings.Cut(tt.target, "?")
		if tt.method == "POST" && path != "/portal/messages/read-all" {
			path = "/portal/messages/{id}/read"
		}
		if log := f.log.String(); strings.Count(log, `"msg":"http request"`) != 1 || !strings.Contains(log, `"route":"`+tt.method+" "+path+`"`) {
			t.Errorf("the log is %s", log)
		}
	}
}

func TestPortalsRequestsAreRefused(t *testing.T) {
	for _, tt := range []struct {
		method, target, body string
		status               int
		msg                  string
	}{
		{"GET", "/portal/todos?list=x", "", 400, "list must be toHandle, toRead, done or read"},
		{"GET", "/portal/todos?list=TOREAD", "", 400, "list must be toHandle, toRead, done or read"},
		{"GET", "/portal/todos?list=done&list=done", "", 400, "list must not be repeated"},
		{"GET", "/portal/todos?cursor=x", "", 400, "cursor is not valid for this list"},
		{"GET", "/portal/messages?cursor=x", "", 400, "cursor is not valid for this list"},
		{"GET", "/portal/messages?cursor=&cursor=", "", 400, "cursor must not be repeated"},
		{"GET", "/portal/messages?size=1&size=1", "", 400, "size must not be repeated"},
		{"GET", "/portal/messages?status=%ff", "", 400, "the query string is not valid"},
		{"POST", "/portal/messages/m/read?username=ben", "", 403, "a user may only call for herself"},
		{"POST", "/portal/messages/%ff/read", "", 400, "the path is not valid UTF-8"},
		{"POST", "/portal/messages/read-all", "", 400, "the request body must be a JSON object"},
		{"POST", "/portal/messages/read-all", `{"username":"ben","upTo":"c1.y"}`, 403, "a user may only call for herself"},
		{"POST", "/portal/todos", "", 405, "the path does not have this method"},
		{"GET", "/portal/messages/m/read", "", 405, "the path does not have this method"},
	} {
		f := newFront(t, asUser("amy"), withAPI)
		wantMessage(t, f.send(t, tt.method, tt.target, tt.body), tt.status, tt.msg)
		if f.hub.calls != 0 {
			t.Errorf("%s: the hub was called", tt.target)
		}
	}
}

var portalPaths = map[string]string{
	"/portal/home": "GET", "/portal/todos": "GET", "/portal/messages": "GET", "/portal/messages/m/read": "POST",
	"/portal/messages/read-all": "POST", "/portal/admin/permissions": "GET",
}

func TestPortalIsForUsers(t *testing.T) {
	for path, method := range portalPaths {
		f := newFront(t, withAPI)
		wantFailure(t, f.send(t, method, path, ""), http.StatusForbidden)
		wantFailure(t, f.send(t, method, path, "", "Authorization", ""), http.StatusUnauthorized)
		wantFailure(t, newFront(t).send(t, method, path, ""), http.StatusNotFound)
		if f.hub.calls != 0 {
			t.Errorf("%s: the hub was called", path)
		}
	}
}

func TestPermissionsOfTheCaller(t *testing.T) {
	f := newFront(t, func(d *rest.Deps) { d.Authenticator = principal{User: "amy", Permissions: []string{"todos", "apps"}} }, withAPI)
	wantJSON(t, f.send(t, "GET", "/portal/admin/permissions", ""), `{"code":"0","msg":"ok","data":["apps","todos"]}`)
	f = newFront(t, func(d *rest.Deps) { d.Authenticator = principal{User: "amy"} }, withAPI)
	wantJSON(t, f.send(t, "GET", "/portal/admin/permissions", ""), `{"code":"0","msg":"ok","data":[]}`)
}
