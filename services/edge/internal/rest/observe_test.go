package rest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/telemetry/telemetrytest"
	"example.com/hub/services/edge/internal/rest"
)

// badIDs are request ids that must go nowhere.
var badIDs = map[string][]string{
	"none":           nil,
	"empty":          {""},
	"two":            {"a", "b"},
	"two equal":      {"a", "a"},
	"a list":         {"a,b"},
	"blank inside":   {"a b"},
	"line feed":      {"a\nlevel=ERROR"},
	"CR LF":          {"a\r\nSet-Cookie: b=c"},
	"escaped CR LF":  {"a%0d%0ab"},
	"NUL":            {"a\x00"},
	"quote":          {`a"b`},
	"backslash":      {`a\b`},
	"markup":         {"<script>"},
	"not ASCII":      {"é"},
	"not UTF-8":      {"\xff"},
	"terminal codes": {"\x1b[2J"},
	"too long":       {strings.Repeat("a", 129)},
	"huge":           {strings.Repeat("a", 1<<20)},
}

// sendID makes a request with these values of X-Request-Id, even ones that no client can send.
func (f *front) sendID(t *testing.T, values []string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/todo-hub/todos", nil)
	r.Header.Set("Authorization", "Bearer good")
	r.Header["X-Request-Id"] = values
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w
}

func TestRequestIDIsTakenAndEchoed(t *testing.T) {
	for _, id := range []string{
		"7", "5f0c2a1e-9c1b-4f6e-8d50-c6f3b1a7a001", "Root=1-67891233-abcdef012345678912345678", "a.b_c~d:e/f+g=h@i", strings.Repeat("a", 128),
	} {
		f := newFront(t)
		f.hub.err = status.Error(codes.Internal, "cause")
		w := f.sendID(t, []string{id})
		if diff := cmp.Diff([]string{id}, w.Header()["X-Request-Id"]); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{id}, f.hub.metadata["x-request-id"]); diff != "" {
			t.Errorf("the hub got another id: %s", diff)
		}
		lines := f.lines(t)
		if len(lines) != 2 {
			t.Fatalf("%d log lines: %s", len(lines), f.log)
		}
		for _, line := range lines {
			if line["request_id"] != id {
				t.Errorf("log line %v lacks the id %s", line, id)
			}
		}
	}
}

func TestRequestIDIsMadeInThePlaceOfABadOne(t *testing.T) {
	seen := map[string]bool{}
	for name, values := range badIDs {
		t.Run(name, func(t *testing.T) {
			f := newFront(t)
			f.hub.err = status.Error(codes.Internal, "cause")
			got := f.sendID(t, values).Header()["X-Request-Id"]
			if len(got) != 1 || len(got[0]) != 26 || seen[got[0]] {
				t.Fatalf("the answer has the ids %q", got)
			}
			seen[got[0]] = true
			if diff := cmp.Diff(got, f.hub.metadata["x-request-id"]); diff != "" {
				t.Errorf("the hub got another id: %s", diff)
			}
			if strings.Count(f.log.String(), got[0]) != 2 {
				t.Errorf("log %.300s, want the id %s in both lines", f.log, got[0])
			}
			for _, bad := range values {
				if bad != "" && strings.Contains(f.log.String(), `"request_id":"`+bad) {
					t.Errorf("log %.300s", f.log)
				}
			}
		})
	}
}

func TestEveryAnswerHasARequestID(t *testing.T) {
	f := newFront(t)
	for path, methods := range paths {
		for _, method := range []string{"GET", "POST", "HEAD"} {
			w := f.send(t, method, path, "", "X-Request-Id", "r-1")
			wantHeader(t, w, "X-Request-Id", "r-1")
			w = f.send(t, method, path, "", "Authorization", "")
			if w.Header().Get("X-Request-Id") == "" {
				t.Errorf("%s %s (has %v): no id", method, path, methods)
			}
		}
	}
	wantHeader(t, f.send(t, "GET", "/nothing", "", "X-Request-Id", "r-1"), "X-Request-Id", "r-1")
}

// TestRequestIDOverTheWire sends what a Go client would refuse to.
func TestRequestIDOverTheWire(t *testing.T) {
	server := httptest.NewServer(newFront(t))
	defer server.Close()
	for name, head := range map[string]string{
		"two headers":     "X-Request-Id: a\r\nX-Request-Id: b\r\n",
		"two spellings":   "X-Request-Id: a\r\nx-request-id: b\r\n",
		"control":         "X-Request-Id: a\tb\r\n",
		"bytes above 127": "X-Request-Id: \x80\xff\r\n",
		"too long":        "X-Request-Id: " + strings.Repeat("a", 4000) + "\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			if _, err := conn.Write([]byte("GET /todo-hub/todos HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n" + head + "\r\n")); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			if got := resp.Header["X-Request-Id"]; resp.StatusCode != http.StatusUnauthorized || len(got) != 1 || len(got[0]) != 26 {
				t.Errorf("status %d, ids %q", resp.StatusCode, got)
			}
		})
	}
}

// lines reads the log.
func (f *front) lines(t *testing.T) []map[string]any {
	t.Helper()
	var lines []map[string]any
	for text := range strings.Lines(f.log.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestAccessLog(t *testing.T) {
	tests := map[string]struct {
		method, target, token string
		err                   error
		level, route, client  string
		status                float64
	}{
		"success":      {"GET", "/message-hub/inbox?username=amy", "good", nil, "DEBUG", "GET /message-hub/inbox", "erp", 200},
		"a path's id":  {"POST", "/message-hub/messages/M1/read?username=amy", "good", nil, "DEBUG", "POST /message-hub/messages/{id}/read", "erp", 200},
		"stream":       {"GET", "/message-hub/stream?user=amy", "good", nil, "DEBUG", "GET /message-hub/stream", "erp", 200},
		"document":     {"GET", "/openapi.yaml", "", nil, "DEBUG", "GET /openapi.yaml", "", 200},
		"no token":     {"GET", "/message-hub/inbox?username=amy", "", nil, "INFO", "GET /message-hub/inbox", "", 401},
		"no scope":     {"GET", "/message-hub/inbox?username=amy", "poor", nil, "INFO", "GET /message-hub/inbox", "erp", 403},
		"refused call": {"GET", "/message-hub/inbox?username=amy", "good", status.Error(codes.InvalidArgument, "no"), "INFO", "GET /message-hub/inbox", "erp", 400},
		"defect":       {"GET", "/message-hub/inbox?username=amy", "good", errors.New("no"), "INFO", "GET /message-hub/inbox", "erp", 500},
	}
	for name, tt := range tests {
		for _, masked := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				f := newFront(t, func(d *rest.Deps) {
					d.MaskErrors = masked
					d.RemoteAddr = func(*http.Request) string { return "203.0.113.5" }
				})
				f.hub.err = tt.err
				began, header := time.Now(), ""
				if tt.token != "" {
					header = "Bearer " + tt.token
				}
				f.send(t, tt.method, tt.target, "", "Authorization", header)
				lines := f.lines(t)
				got := lines[len(lines)-1]
				if took, ok := got["duration_ms"].(float64); !ok || took < 0 || took > time.Since(began).Seconds()*1000 {
					t.Errorf("duration_ms %v", got["duration_ms"])
				}
				want := map[string]any{
					"level": tt.level, "msg": "http request", "route": tt.route, "status": tt.status, "client_id": tt.client,
					"address": "203.0.113.5",
				}
				maps.DeleteFunc(got, func(key string, _ any) bool {
					return slices.Contains([]string{"time", "duration_ms", "request_id"}, key)
				})
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
				if strings.Contains(f.log.String(), "amy") {
					t.Errorf("a user's name is in the log: %s", f.log)
				}
			})
		}
	}
}

// TestRequestsWithoutARoute finds in the log who sends what to where, and nothing that may be secret.
func TestRequestsWithoutARoute(t *testing.T) {
	token := "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJlcnAifQ." + strings.Repeat("s3cr3t", 60)
	for name, tt := range map[string]struct {
		method, target string
		status         float64
		path           string
	}{
		"mistyped":               {"POST", "/todo-hub/todo", 404, "/todo-hub/todo"},
		"another method":         {"PUT", "/message-hub/inbox?username=s3cr3t", 405, "/message-hub/inbox"},
		"with a query":           {"GET", "/message-hub/strem?user=s3cr3t&access_token=" + token, 404, "/message-hub/strem"},
		"ampersand for a mark":   {"GET", "/message-hub/stream&access_token=" + token, 404, "/message-hub/stream&access_token=..."},
		"encoded mark":           {"GET", "/message-hub/stream%3Faccess_token%3ds3cr3t", 404, "/message-hub/stream%3Faccess_token=..."},
		"token as a segment":     {"GET", "/" + token + "/message-hub", 404, "/eyJhbGci.../message-hub"},
		"line feed":              {"GET", "/todo-hub/todos%0a", 404, "/todo-hub/todos%0a"},
		"not ASCII":              {"GET", "/t%C3%B6do", 404, "/t%C3%B6do"},
		"a path that is no path": {"GET", "//evil.example/", 404, "//evil.example/"},
		"endless":                {"GET", strings.Repeat("/todo-hub", 1000), 404, strings.Repeat("/todo-hub", 22) + "/t..."},
		"slashes":                {"GET", strings.Repeat("/", 10_000), 404, strings.Repeat("/", 200) + "..."},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFront(t)
			f.send(t, tt.method, tt.target, "", "X-Request-Id", "r-1")
			lines := f.lines(t)
			got := lines[len(lines)-1]
			want := map[string]any{
				"level": "INFO", "msg": "http request", "route": "other", "status": tt.status, "client_id": "", "address": "192.0.2.1:1234",
				"request_id": "r-1", "method": tt.method, "path": tt.path,
			}
			maps.DeleteFunc(got, func(key string, _ any) bool { return slices.Contains([]string{"time", "duration_ms"}, key) })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(f.log.String(), "s3cr3t") {
				t.Errorf("a secret is in the log: %s", f.log)
			}
		})
	}
}

func TestMetricsOfRequests(t *testing.T) {
	for _, masked := range []bool{false, true} {
		f := newFront(t, func(d *rest.Deps) { d.MaskErrors = masked })
		f.send(t, "GET", "/message-hub/inbox", "")
		f.send(t, "GET", "/message-hub/inbox?username=amy", "")
		f.send(t, "GET", "/message-hub/inbox", "", "Authorization", "")
		f.send(t, "GET", "/message-hub/inbox?username=%zz", "")
		f.send(t, "POST", "/todo-hub/todos/amy/clear", "{}")
		f.send(t, "GET", "/message-hub/stream?user=amy", "")
		f.send(t, "GET", "/amy", "")
		f.send(t, "PUT", "/message-hub/inbox", "")
		f.hub.before = func(context.Context) { panic("defect") }
		f.send(t, "POST", "/todo-hub/todos", "{}")

		got := telemetrytest.Scrape(f.metrics, "hub_")
		for _, line := range []string{
			`hub_http_requests_total{code="200",route="GET /message-hub/inbox"} 2`,
			`hub_http_requests_total{code="401",route="GET /message-hub/inbox"} 1`,
			`hub_http_requests_total{code="400",route="GET /message-hub/inbox"} 1`,
			`hub_http_request_duration_seconds_count{route="GET /message-hub/inbox"} 4`,
			`hub_http_requests_total{code="200",route="POST /todo-hub/todos/{todoId}/clear"} 1`,
			`hub_http_requests_total{code="200",route="GET /message-hub/stream"} 1`,
			`hub_http_requests_total{code="200",route="GET /todo-hub/todos"} 0`,
			`hub_http_requests_total{code="500",route="POST /todo-hub/todos"} 1`,
			`hub_http_requests_total{code="404",route="other"} 1`,
			`hub_http_requests_total{code="405",route="other"} 1`,
		} {
			if !slices.Contains(got, line) {
				t.Errorf("masked %v: no %s", masked, line)
			}
		}
		if all := strings.Join(got, "\n"); strings.Contains(all, "amy") {
			t.Errorf("a user's name is in a label: %s", all)
		}
	}
}
