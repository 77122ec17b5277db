package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/hub/pkg/auth"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
)

// asUser makes every request one of a user.
func asUser(username string) func(*rest.Deps) {
	return func(d *rest.Deps) { d.Authenticator = principal{User: username, Permissions: []string{"todos"}} }
}

// principal is an authenticator that knows one caller.
type principal auth.Principal

// Authenticate implements rest.Authenticator.
func (p principal) Authenticate(http.ResponseWriter, *http.Request, auth.Rule) (auth.Principal, error) {
	return auth.Principal(p), nil
}

// named gives the user that a call names.
func named(m proto.Message) string {
	switch m := m.(type) {
	case *todov1.ListTodosRequest:
		return m.GetAssigneeUsername()
	case *messagev1.ListInboxRequest:
		return m.GetUsername()
	case *messagev1.CountUnreadRequest:
		return m.GetUsername()
	case *todov1.CountTodosRequest:
		return m.GetUsername()
	case *messagev1.MarkReadRequest:
		return m.GetUsername()
	case *messagev1.MarkAllReadRequest:
		return m.GetUsername()
	}
	return ""
}

func TestUserCallsForHerself(t *testing.T) {
	for path, tt := range map[string]struct{ method, parameter, field string }{
		"/todo-hub/todos":              {http.MethodGet, "assigneeUsername", "assignee username"},
		"/message-hub/inbox":           {http.MethodGet, "username", "username"},
		"/message-hub/unread-count":    {http.MethodGet, "username", "username"},
		"/counts":                      {http.MethodGet, "username", "username"},
		"/message-hub/messages/m/read": {http.MethodPost, "username", "username"},
		"/message-hub/stream":          {http.MethodGet, "user", "user"},
	} {
		t.Run(path, func(t *testing.T) {
			served := func(f *front) string {
				if f.streams.calls > 0 {
					return f.streams.user
				}
				return named(f.hub.request)
			}
			for _, query := range []string{"", "?" + tt.parameter + "=%C3%A4my"} {
				f := newFront(t, asUser("ämy"))
				if w := f.send(t, tt.method, path+query, ""); w.Code/100 != 2 || served(f) != "ämy" {
					t.Errorf("%q: %d for %q", query, w.Code, served(f))
				}
			}
			for query, want := range map[string]struct {
				status int
				msg    string
			}{
				"=ben":                          {http.StatusForbidden, "a user may only call for herself"},
				"=%C3%84my":                     {http.StatusForbidden, "a user may only call for herself"},
				"=user:ämy":                     {http.StatusForbidden, "a user may only call for herself"},
				"=":                             {http.StatusBadRequest, tt.field + " must not be empty"},
				"=+":                            {http.StatusBadRequest, tt.field + " must not be empty"},
				"=a%01":                         {http.StatusBadRequest, tt.field + " must not contain control characters"},
				"=ämy&" + tt.parameter + "=ämy": {http.StatusBadRequest, tt.parameter + " must not be repeated"},
			} {
				f := newFront(t, asUser("ämy"))
				wantMessage(t, f.send(t, tt.method, path+"?"+tt.parameter+query, ""), want.status, want.msg)
				if f.hub.calls+f.streams.calls != 0 {
					t.Errorf("%q: the hub was called", query)
				}
			}
		})
	}
}

// TestUserReadsAllOfHerOwn is TestUserCallsForHerself for a name in a body.
func TestUserReadsAllOfHerOwn(t *testing.T) {
	const path = "/message-hub/inbox/read-all"
	for _, body := range []string{`{}`, `{"username":null}`, `{"username":"ämy"}`} {
		f := newFront(t, asUser("ämy"))
		if w := f.send(t, http.MethodPost, path, body); w.Code != http.StatusOK || named(f.hub.request) != "ämy" {
			t.Errorf("%s: %d for %q", body, w.Code, named(f.hub.request))
		}
	}
	for name, want := range map[string]struct {
		status int
		msg    string
	}{
		"ben":      {http.StatusForbidden, "a user may only call for herself"},
		"Ämy":      {http.StatusForbidden, "a user may only call for herself"},
		"user:ämy": {http.StatusForbidden, "a user may only call for herself"},
		"":         {http.StatusBadRequest, "username must not be empty"},
		" ":        {http.StatusBadRequest, "username must not be empty"},
		`a\u0001`:  {http.StatusBadRequest, "username must not contain control characters"},
	} {
		f := newFront(t, asUser("ämy"))
		// The query names nobody, whatever it says.
		wantMessage(t, f.send(t, http.MethodPost, path+"?username=%C3%A4my", `{"username":"`+name+`","upTo":"c1.x"}`), want.status, want.msg)
		if f.hub.calls != 0 {
			t.Errorf("%q: the hub was called", name)
		}
	}
}

func TestUserMayNotCallWhatIsForClients(t *testing.T) {
	for path, method := range map[string]string{
		"/todo-hub/todos":              http.MethodPost,
		"/todo-hub/todos/batch":        http.MethodPost,
		"/todo-hub/todos/reconcile":    http.MethodPost,
		"/todo-hub/todos/t/clear":      http.MethodPost,
		"/todo-hub/todos/t/invalidate": http.MethodPost,
		"/message-hub/messages":        http.MethodPost,
	} {
		f := newFront(t, asUser("amy"))
		w := f.send(t, method, path, "{}")
		wantMessage(t, w, http.StatusForbidden, "insufficient_scope: this user may not make the call")
		wantHeader(t, w, "WWW-Authenticate", bare+`, error="insufficient_scope", scope="client"`)
		if f.hub.calls != 0 {
			t.Errorf("%s: the hub was called", path)
		}
	}
}

func TestUserIsKnownByHerNameInTheLog(t *testing.T) {
	f := newFront(t, asUser("amy"))
	f.send(t, http.MethodGet, "/message-hub/unread-count", "")
	if !strings.Contains(f.log.String(), `"client_id":"user:amy"`) {
		t.Errorf("the log is %s", f.log)
	}
}

func TestChangeOfAUserShowsHerName(t *testing.T) {
	for _, users := range []bool{false, true} {
		f := newFront(t, func(d *rest.Deps) { d.Users = users })
		f.hub.reply = &messagev1.ListInboxResponse{Messages: []*messagev1.InboxMessage{{
			Id: "1", OccurredAt: timestamppb.Now(), CreatorId: "erp", ModifierId: "user:ämy",
		}}}
		body := f.send(t, http.MethodGet, "/message-hub/inbox?username=%C3%A4my", "").Body.String()
		name := "user:ämy" // of a client, where there are no users
		if users {
			name = "ämy"
		}
		for _, member := range []string{`"creator":"erp"`, `"creatorId":"erp"`, `"modifier":"` + name + `"`, `"modifierId":"user:ämy"`} {
			if !strings.Contains(body, member) {
				t.Errorf("users %v: %s lacks %s", users, body, member)
			}
		}
	}
}
