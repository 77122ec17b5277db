package rest_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"example.com/hub/pkg/telemetry"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/rest/todo"
	"example.com/hub/services/edge/internal/topic"
	"example.com/hub/services/edge/openapi"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

func wantHeader(t *testing.T, w *httptest.ResponseRecorder, name, want string) {
	t.Helper()
	if got := w.Header().Get(name); got != want {
		t.Errorf("%s is %q, want %q", name, got, want)
	}
}

func wantLength(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	wantHeader(t, w, "Content-Length", strconv.Itoa(w.Body.Len()))
}

// paths are all paths with the methods that they have.
var paths = map[string][]string{
	"/todo-hub/todos":                         {"GET", "POST"},
	"/todo-hub/todos/T1/clear":                {"POST"},
	"/todo-hub/todos/T1/invalidate":           {"POST"},
	"/message-hub/messages":                   {"POST"},
	"/message-hub/inbox":                      {"GET"},
	"/message-hub/unread-count":               {"GET"},
	"/message-hub/messages/M1/read":           {"POST"},
	"/message-hub/stream":                     {"GET"},
	"/counts":                                 {"GET"},
	"/api/login/oauth/token":                  {"POST"},
	"/.well-known/jwks.json":                  {"GET"},
	"/.well-known/openid-configuration":       {"GET"},
	"/.well-known/oauth-authorization-server": {"GET"},
	"/openapi.yaml":                           {"GET"},
}

func TestEveryPathAndMethod(t *testing.T) {
	for path, allowed := range paths {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "get", "BREW"} {
			t.Run(method+path, func(t *testing.T) {
				f := newFront(t)
				r := httptest.NewRequestWithContext(t.Context(), "GET", path+"?user=amy", strings.NewReader(""))
				r.Method = method
				r.Header.Set("X-HTTP-Method-Override", allowed[0])
				if slices.Contains(allowed, method) {
					r.Header.Set("Authorization", "Bearer good")
				}
				w := httptest.NewRecorder()
				f.ServeHTTP(w, r)
				if slices.Contains(allowed, method) {
					if w.Code == http.StatusNotFound || w.Code == http.StatusMethodNotAllowed || w.Code >= 500 {
						t.Errorf("status %d: %s", w.Code, w.Body)
					}
					return
				}
				wantFailure(t, w, http.StatusMethodNotAllowed)
				wantHeader(t, w, "Allow", strings.Join(allowed, ", "))
				if f.hub.calls+f.streams.calls != 0 {
					t.Error("a handler was called")
				}
			})
		}
	}
}

func TestHandlersAndEndpointsMustAgree(t *testing.T) {
	for name, endpoints := range map[string]func([]rest.Endpoint) []rest.Endpoint{
		"an endpoint is missing": func(all []rest.Endpoint) []rest.Endpoint { return all[1:] },
		"one is not in rest.yaml": func(all []rest.Endpoint) []rest.Endpoint {
			return append(all, rest.Endpoint{Method: http.MethodGet, Path: "/todo-hub/none"})
		},
		"one has another path": func(all []rest.Endpoint) []rest.Endpoint {
			all[0].Path = "/todo-hub/none"
			return all
		},
		"two have one path": func(all []rest.Endpoint) []rest.Endpoint {
			all[0].Method, all[0].Path = all[1].Method, all[1].Path
			return all
		},
	} {
		t.Run(name, func(t *testing.T) {
			area := todo.Area(&hub{})
			area.Endpoints = endpoints(area.Endpoints)
			_, err := rest.New(rest.Deps{Areas: []rest.Area{area}, Streams: &streams{}, Authenticator: rest.Bearer{Verifier: verifier{}}, Metrics: telemetry.New()})
			if err == nil {
				t.Error("it was taken")
			}
		})
	}
}

func TestFormPostDoesNotBecomeGet(t *testing.T) {
	f := newFront(t)
	w := f.send(t, "POST", "/message-hub/inbox", "username=amy",
		"Content-Type", "application/x-www-form-urlencoded", "X-HTTP-Method-Override", "GET")
	wantFailure(t, w, http.StatusMethodNotAllowed)
}

func TestUnknownPathNeedsNoToken(t *testing.T) {
	for _, path := range []string{
		"/", "//", "/todo-hub", "/todo-hub/", "/todo-hub/todos/", "//todo-hub/todos", "/todo-hub//todos",
		"/todo-hub/todos/T1", "/todo-hub/todos/T1/clear/", "/todo-hub/todos/a/b/clear", "/TODO-HUB/todos",
		"/todo-hub/todos:clear", "/todo-hub/../todo-hub/todos", "/message-hub/%69nbox", "/openapi%2Eyaml", "/%ff", "/..",
	} {
		t.Run(path, func(t *testing.T) {
			w := newFront(t).send(t, "GET", path, "", "Authorization", "")
			wantFailure(t, w, http.StatusNotFound)
			wantHeader(t, w, "X-Content-Type-Options", "nosniff")
			wantHeader(t, w, "Cache-Control", "no-store")
			wantLength(t, w)
		})
	}
}

func TestPathThatIsNoText(t *testing.T) {
	f := newFront(t)
	wantMessage(t, f.send(t, "POST", "/todo-hub/todos/%ff/clear", "{}"), http.StatusBadRequest, "the path is not valid UTF-8")
	for path, raw := range map[string]string{"*": "", "todo-hub": "todo-hub"} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.URL = &url.URL{Path: path, RawPath: raw}
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		wantFailure(t, w, http.StatusBadRequest)
	}
	if f.hub.calls != 0 {
		t.Error("the hub was called")
	}
}

func TestEmptyIDReachesTheHub(t *testing.T) {
	f := newFront(t)
	f.send(t, "POST", "/message-hub/messages//read?username=amy", "")
	f.wantCall(t, &messagev1.MarkReadRequest{Username: "amy"})
}

// ids are valid ids: any characters but control characters, and neither "." nor "..".
func ids() *rapid.Generator[string] {
	awkward := rapid.SampledFrom([]string{
		"/", "%", "%2F", "%252F", "%25", "100%", "a%2", " ", "+", ":", ":clear", "?", "#", "&", "=", ";", "@", "\\", ".", "..", "é", "e\u0301", "名", "🦉", "\u202e", "\u00ad", "*", "{todoId}", "clear", "//",
	})
	anything := rapid.StringN(1, 20, -1)
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.OneOf(awkward, anything), 1, 8).Draw(t, "parts")
		return strings.Join(parts, "")
	}).Filter(func(id string) bool {
		return id != "." && id != ".." && !strings.ContainsFunc(id, unicode.IsControl)
	})
}

func TestEveryValidIDIsAddressable(t *testing.T) {
	f := newFront(t)
	rapid.Check(t, func(rt *rapid.T) {
		id := ids().Draw(rt, "id")
		escape := rapid.SampledFrom([]func(string) string{url.PathEscape, escapeAll, escapeLower}).Draw(rt, "escape")

		w := f.send(t, "POST", "/todo-hub/todos/"+escape(id)+"/clear", `{"result":"done"}`)
		if got, ok := f.hub.request.(*todov1.ClearTodoRequest); !ok || w.Code != http.StatusOK || got.GetTodoId() != id {
			rt.Fatalf("clear of %q: status %d, call %v", id, w.Code, f.hub.request)
		}
		w = f.send(t, "POST", "/message-hub/messages/"+escape(id)+"/read?username=amy", "")
		if got, ok := f.hub.request.(*messagev1.MarkReadRequest); !ok || w.Code != http.StatusOK || got.GetSourceMessageId() != id {
			rt.Fatalf("read of %q: status %d, call %v", id, w.Code, f.hub.request)
		}
	})
}

// escapeAll escapes every byte.
func escapeAll(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteString("%" + strings.ToUpper(strconv.FormatUint(uint64(s[i])+0x100, 16)[1:]))
	}
	return b.String()
}

func escapeLower(s string) string { return strings.ToLower(escapeAll(s)) }

func TestDocumentsAreOpen(t *testing.T) {
	f := newFront(t)
	for path, want := range map[string]string{
		"/openapi.yaml":                           string(openapi.Document),
		"/.well-known/jwks.json":                  "keys",
		"/.well-known/openid-configuration":       "discovery",
		"/.well-known/oauth-authorization-server": "discovery",
	} {
		w := f.send(t, "GET", path, "", "Authorization", "")
		if w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("%s: status %d, %.40q", path, w.Code, w.Body)
		}
		wantHeader(t, w, "X-Content-Type-Options", "nosniff")
	}
	w := f.send(t, "POST", "/api/login/oauth/token", "grant_type=x", "Authorization", "Basic x", "Content-Type", "application/x-www-form-urlencoded")
	if w.Body.String() != "token" {
		t.Errorf("token endpoint: %d %s", w.Code, w.Body)
	}
	wantHeader(t, f.send(t, "GET", "/openapi.yaml", ""), "Content-Type", "application/yaml")
}

func TestWithoutIssuerItsPathsAreUnknown(t *testing.T) {
	none := newFront(t, func(d *rest.Deps) { d.Tokens, d.Documents = nil, nil })
	tokens := newFront(t, func(d *rest.Deps) { d.Documents = nil })
	for _, path := range []string{
		"/.well-known/jwks.json", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server",
	} {
		wantFailure(t, none.send(t, "GET", path, ""), http.StatusNotFound)
		wantFailure(t, tokens.send(t, "GET", path, ""), http.StatusNotFound)
	}
	wantFailure(t, none.send(t, "POST", "/api/login/oauth/token", "{}"), http.StatusNotFound)
	if w := tokens.send(t, "POST", "/api/login/oauth/token", "{}"); w.Body.String() != "token" {
		t.Errorf("token endpoint without documents: %d %s", w.Code, w.Body)
	}
}

func TestStreamParameters(t *testing.T) {
	long := strings.Repeat("é", 129)
	tests := map[string]struct{ query, msg string }{
		"missing":           {"", "user must not be empty"},
		"empty":             {"?user=", "user must not be empty"},
		"blank":             {"?user=%20", "user must not be empty"},
		"repeated":          {"?user=amy&user=bob", "user must not be repeated"},
		"too long":          {"?user=" + long, "user must be at most 128 characters"},
		"line end":          {"?user=a%0Ab", "user must not contain control characters"},
		"not UTF-8":         {"?user=%ff", "the query string is not valid"},
		"broken escape":     {"?user=%zz", "the query string is not valid"},
		"semicolon":         {"?user=a;b", "the query string is not valid"},
		"other parameter":   {"?username=amy", "user must not be empty"},
		"other case of key": {"?User=amy", "user must not be empty"},
		"unknown topic":     {"?user=amy&topics=inbox,calendar", "topics must be inbox, todo or both, separated by a comma"},
		"no topic":          {"?user=amy&topics=", "topics must be inbox, todo or both, separated by a comma"},
		"repeated topics":   {"?user=amy&topics=inbox&topics=todo", "topics must not be repeated"},
		"user comes first":  {"?topics=calendar", "user must not be empty"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFront(t)
			wantMessage(t, f.send(t, "GET", "/message-hub/stream"+tt.query, ""), http.StatusBadRequest, tt.msg)
			if f.streams.calls != 0 {
				t.Error("a stream was served")
			}
		})
	}
	f := newFront(t)
	f.send(t, "GET", "/message-hub/stream?x=1&x=2&user=a%2Fb%20c", "")
	if f.streams.user != "a/b c" || f.streams.caller.Client != "erp" {
		t.Errorf("the stream of %q was served to %q", f.streams.user, f.streams.caller.Client)
	}
	for query, want := range map[string]topic.Set{
		"": topic.Inbox, "&topics=inbox": topic.Inbox, "&topics=todo": topic.Todos, "&topics=todo,inbox": topic.Inbox | topic.Todos,
	} {
		f.send(t, "GET", "/message-hub/stream?user=amy"+query, "")
		if f.streams.topics != want {
			t.Errorf("%s: the topics %b, want %b", query, f.streams.topics, want)
		}
	}
}

func TestStreamThatCannotBeServed(t *testing.T) {
	f := newFront(t)
	f.streams.err = errors.New("secret")
	wantMessage(t, f.send(t, "GET", "/message-hub/stream?user=amy", ""), http.StatusInternalServerError, "internal error")
	if !strings.Contains(f.log.String(), "secret") {
		t.Errorf("log %s", f.log)
	}
}
