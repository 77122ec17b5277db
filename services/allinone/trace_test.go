package allinone_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/telemetry/tracing/tracingtest"
	"example.com/hub/services/allinone"
)

// The trace of a caller, and the header that carries it.
const (
	callerTrace = "0af7651916cd43dd8448eb211c80319c"
	callerSpan  = "b7ad6b7169203331"
	traceparent = "00-" + callerTrace + "-" + callerSpan + "-01"
)

// send makes a request in the caller's trace.
func send(t *testing.T, hub *allinone.Hub, access, method, path, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, hub.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+access)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Traceparent", traceparent)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s", method, path, resp.Status)
	}
}

// path names the spans from the caller's to s.
func path(s tracingtest.Span, byID map[string]tracingtest.Span) string {
	if s.Parent == callerSpan {
		return s.Name
	}
	parent, ok := byID[s.Parent]
	if !ok {
		return "lost > " + s.Name
	}
	return path(parent, byID) + " > " + s.Name
}

// TestOneRequestIsOneTree pushes and lists in the trace of a caller, and looks at what a collector got when
// Hub has stopped.
func TestOneRequestIsOneTree(t *testing.T) {
	for protocol, endpoint := range map[string]func(*tracingtest.Collector) string{
		"http/protobuf": func(c *tracingtest.Collector) string { return c.HTTP },
		"grpc":          func(c *tracingtest.Collector) string { return c.GRPC },
	} {
		t.Run(protocol, func(t *testing.T) {
			collector := tracingtest.New(t)
			hub, stop := open(t, t.TempDir(), "OTEL_EXPORTER_OTLP_PROTOCOL="+protocol, "OTEL_EXPORTER_OTLP_ENDPOINT="+endpoint(collector))
			access := token(t, hub, "erp")
			send(t, hub, access, "POST", "/message-hub/messages",
				`{"sourceMessageId":"m-1","title":"canary","category":"notice","content":"canary","targetUsernames":["canary"],"occurredAt":"2030-01-02T03:04:05Z"}`)
			send(t, hub, access, "GET", "/message-hub/unread-count?username=canary", "")
			send(t, hub, access, "GET", "/todo-hub/todos?assigneeUsername=canary&status=OPEN", "")
			stop()

			byID := map[string]tracingtest.Span{}
			for _, s := range collector.Spans() {
				if s.Service != "hub" {
					t.Errorf("a span of %q", s.Service)
				}
				if strings.Contains(fmt.Sprint(s), "canary") || strings.Contains(fmt.Sprint(s), access) {
					t.Errorf("what the caller sent is in %+v", s)
				}
				if s.Trace == callerTrace {
					byID[s.ID] = s
				}
			}
			var got []string
			for _, s := range byID {
				got = append(got, path(s, byID))
			}
			slices.Sort(got)
			tree := func(route, method string) []string {
				call := route + " > " + method
				return []string{route, call, call + " > " + method}
			}
			want := slices.Concat(
				tree("POST /message-hub/messages", "hub.message.v1.MessageService/PushMessage"),
				tree("GET /message-hub/unread-count", "hub.message.v1.MessageService/CountUnread"),
				tree("GET /todo-hub/todos", "hub.todo.v1.TodoService/ListTodos"),
			)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
