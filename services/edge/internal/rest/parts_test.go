package rest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/auth"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/portal"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/rest/counts"
	"example.com/hub/services/edge/internal/rest/message"
	"example.com/hub/services/edge/internal/rest/todo"
)

// homePage is a front with the portal's API, whose parts have a hub each, and apps that a test serves.
type homePage struct {
	*front
	todos, messages, countsOfTodos, countsOfMessages *hub
	apps                                             http.HandlerFunc
}

func newHome(t *testing.T, change ...func(*rest.Deps)) *homePage {
	t.Helper()
	p := &homePage{
		todos:            &hub{reply: &todov1.ListTodosResponse{Todos: []*todov1.Todo{{Id: "t-1", Title: "<b>"}}, Size: 5, NextPageToken: "c1.x"}},
		messages:         &hub{reply: &messagev1.ListInboxResponse{Size: 5, Watermark: "c1.y"}},
		countsOfTodos:    &hub{reply: &todov1.CountTodosResponse{}},
		countsOfMessages: &hub{reply: &messagev1.CountUnreadResponse{Count: 7}},
		apps: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"code":"0","msg":"ok","data":["erp"]}`))
		},
	}
	apps := rest.Area{Endpoints: []rest.Endpoint{{
		Method: http.MethodGet, Path: "/portal/apps", Rule: auth.Rule{User: true},
		Serve: func(w http.ResponseWriter, r *http.Request) { p.apps(w, r) },
	}}}
	p.front = newFront(t, append([]func(*rest.Deps){asUser("amy"), func(d *rest.Deps) {
		d.Areas = []rest.Area{
			todo.Area(limitedHub{p.todos}), message.Area(p.messages), counts.Area(p.countsOfTodos, p.countsOfMessages), portal.API(), apps,
		}
	}}, change...)...)
	return p
}

// ask gives the members of the home page, and the names of those that are not available.
func (p *homePage) ask(t *testing.T) (members map[string]json.RawMessage, unavailable string) {
	t.Helper()
	w := p.send(t, http.MethodGet, "/portal/home", "")
	return homeOf(t, w)
}

func homeOf(t *testing.T, w *httptest.ResponseRecorder) (members map[string]json.RawMessage, unavailable string) {
	t.Helper()
	var answer struct {
		Code string
		Data map[string]json.RawMessage
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK || answer.Code != "0" {
		t.Fatalf("%v: %d %s", err, w.Code, w.Body)
	}
	wantLength(t, w)
	unavailable = string(answer.Data["unavailable"])
	delete(answer.Data, "unavailable")
	return answer.Data, unavailable
}

func TestHomeHasAllParts(t *testing.T) {
	p := newHome(t)
	w := p.send(t, http.MethodGet, "/portal/home", "", "If-None-Match", "*")
	members, unavailable := homeOf(t, w)
	for name, want := range map[string]string{
		"counts": `{"toHandle":0,"toRead":0,"overdue":0,"unread":7}`, "messages": "[]", "apps": `["erp"]`, "news": "null", "notices": "null",
	} {
		if got := string(members[name]); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if todos := string(members["todos"]); !strings.HasPrefix(todos, `[{"id":"t-1",`) || !strings.Contains(todos, `"payload":null`) {
		t.Errorf("todos are %s", todos)
	}
	if unavailable != "[]" || len(members) != 6 {
		t.Errorf("unavailable are %s: %s", unavailable, w.Body)
	}
	for _, h := range []*hub{p.todos, p.messages, p.countsOfTodos, p.countsOfMessages} {
		if h.calls != 1 || h.caller.User != "amy" || len(h.metadata["x-request-id"]) != 1 || h.metadata["x-request-id"][0] != w.Header().Get("X-Request-Id") {
			t.Errorf("%d calls by %+v with %v", h.calls, h.caller, h.metadata)
		}
	}
	if size := p.todos.request.(*todov1.ListTodosRequest).GetSize() + p.messages.request.(*messagev1.ListInboxRequest).GetSize(); size != 10 {
		t.Errorf("the sizes together are %d, want 10", size)
	}
	wantHeader(t, w, "RateLimit", `"writes";r=1;t=2`)
	wantHeader(t, w, "Cache-Control", "no-store")
	if log := p.log.String(); strings.Count(log, `"msg":"http request"`) != 1 || !strings.Contains(log, `"route":"GET /portal/home"`) {
		t.Errorf("the log is %s", log)
	}
}

func TestHomeWithoutAPart(t *testing.T) {
	refused := status.Error(codes.Unavailable, "10.0.0.1 refuses")
	away := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }
	for name, tt := range map[string]struct {
		fail func(*homePage)
		want string
	}{
		"todos":                 {func(p *homePage) { p.todos.err = refused }, `["todos"]`},
		"messages":              {func(p *homePage) { p.messages.err = refused }, `["messages"]`},
		"the counts of todos":   {func(p *homePage) { p.countsOfTodos.err = refused }, `["counts"]`},
		"the count of messages": {func(p *homePage) { p.countsOfMessages.err = refused }, `["counts"]`},
		"the limit":             {func(p *homePage) { p.todos.err = overLimit(t, time.Second) }, `["todos"]`},
		"a defect":              {func(p *homePage) { p.messages.err = status.Error(codes.Internal, "defect") }, `["messages"]`},
		"apps":                  {func(p *homePage) { p.apps = away }, `["apps"]`},
		"a panic":               {func(p *homePage) { p.apps = func(http.ResponseWriter, *http.Request) { panic("defect") } }, `["apps"]`},
		"an aborted answer":     {func(p *homePage) { p.apps = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) } }, `["apps"]`},
		"no JSON": {func(p *homePage) {
			p.apps = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{")) }
		}, `["apps"]`},
		"all": {func(p *homePage) {
			for _, h := range []*hub{p.todos, p.messages, p.countsOfTodos, p.countsOfMessages} {
				h.err = refused
			}
			p.apps = away
		}, `["counts","todos","messages","apps"]`},
	} {
		for _, masked := range []bool{false, true} {
			p := newHome(t, func(d *rest.Deps) { d.MaskErrors = masked })
			tt.fail(p)
			members, unavailable := p.ask(t)
			if unavailable != tt.want {
				t.Errorf("%s: unavailable are %s, want %s", name, unavailable, tt.want)
			}
			for member, data := range members {
				missing := strings.Contains(unavailable, member) || member == "news" || member == "notices"
				if missing != (string(data) == "null") {
					t.Errorf("%s: %s is %s", name, member, data)
				}
			}
		}
	}
}

// TestHomeWaitsASecond has parts that do not answer, one after the other and all of them.
func TestHomeWaitsASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(h *hub) {
			h.before = func(ctx context.Context) {
				<-ctx.Done()
				h.err = status.FromContextError(ctx.Err()).Err()
			}
		}
		for want, slow := range map[string]func(*homePage){
			`[]`:         func(*homePage) {},
			`["todos"]`:  func(p *homePage) { hang(p.todos) },
			`["counts"]`: func(p *homePage) { hang(p.countsOfMessages) },
			`["counts","todos","messages"]`: func(p *homePage) {
				hang(p.todos)
				hang(p.messages)
				hang(p.countsOfTodos)
			},
		} {
			p := newHome(t)
			slow(p)
			began := time.Now()
			_, unavailable := p.ask(t)
			took := time.Since(began)
			if unavailable != want || took != time.Second && want != "[]" {
				t.Errorf("%s after %v, want %s", unavailable, took, want)
			}
		}
	})
}
