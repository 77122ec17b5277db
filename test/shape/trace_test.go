package shape_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"example.com/hub/test/shape"
)

// The trace of a caller, and the header that carries it.
const (
	callerTrace = "0af7651916cd43dd8448eb211c80319c"
	callerSpan  = "b7ad6b7169203331"
	traceparent = "00-" + callerTrace + "-" + callerSpan + "-01"
)

// opening is the statement of a connection that was opened for the call, which happens now and then.
const opening = "select_process"

// span is what is looked at of a span.
type span struct{ service, name, id, parent string }

// collector takes the traces that processes export over OTLP.
type collector struct {
	mu sync.Mutex
	// spans are those of the caller's trace, and raw is all that came.
	spans map[string]span
	raw   bytes.Buffer
}

// ServeHTTP implements http.Handler.
func (c *collector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	// A request to export is the same on the wire.
	var data tracepb.TracesData
	if err := proto.Unmarshal(body, &data); err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.Write(body)
	for _, process := range data.GetResourceSpans() {
		service := ""
		for _, a := range process.GetResource().GetAttributes() {
			if a.GetKey() == "service.name" {
				service = a.GetValue().GetStringValue()
			}
		}
		for _, scope := range process.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				if hex.EncodeToString(s.GetTraceId()) == callerTrace {
					id := hex.EncodeToString(s.GetSpanId())
					c.spans[id] = span{service, s.GetName(), id, hex.EncodeToString(s.GetParentSpanId())}
				}
			}
		}
	}
}

// path names the spans from the caller's to s.
func (c *collector) path(s span) string {
	name := s.service + ": " + s.name
	if s.parent == callerSpan {
		return name
	}
	parent, ok := c.spans[s.parent]
	if !ok {
		return "lost > " + name
	}
	return c.path(parent) + " > " + name
}

// written is what the replicas wrote.
type written struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *written) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(b)
}

// TestOneRequestIsOneTree pushes in the trace of a caller and stops everything. Then a collector has the
// spans of the edge, the hub, its database and its bus, and the logs name the trace.
func TestOneRequestIsOneTree(t *testing.T) {
	t.Parallel()
	c := &collector{spans: map[string]span{}}
	web := httptest.NewServer(c)
	defer web.Close()
	var log written
	s := startWith(t, func(cfg *shape.Config) {
		cfg.Out = io.MultiWriter(cfg.Out, &log)
		cfg.Environ = append(cfg.Environ, "OTEL_EXPORTER_OTLP_ENDPOINT="+web.URL, "HUB_LOG_FORMAT=json", "HUB_LOG_LEVEL=info",
			"HUB_ACCESS_LOG_SAMPLE=1", "HUB_DATABASE_SLOW_QUERY=1us")
	})
	erp := newCaller(t, s.edges[0])
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, erp.base+"/message-hub/messages",
		strings.NewReader(`{"sourceMessageId":"m-1","targetUsernames":["canary"],"title":"canary","content":"canary"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+erp.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Traceparent", traceparent)
	req.Header.Set("X-Request-Id", "r-7")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
	for _, r := range s.Replicas {
		r.Stop()
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	var got []string
	for _, s := range c.spans {
		if s.name != opening {
			got = append(got, c.path(s))
		}
	}
	const (
		edge = "edge: POST /message-hub/messages"
		call = edge + " > edge: hub.message.v1.MessageService/PushMessage"
		hub  = call + " > messagehub: hub.message.v1.MessageService/PushMessage"
	)
	want := []string{edge, call, hub, hub + " > messagehub: insert_push", hub + " > messagehub: publish {hub}:events"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the trace is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if all := c.raw.String() + log.text.String(); strings.Contains(all, "canary") || strings.Contains(all, erp.token) {
		t.Error("what the caller sent is in the traces or the logs")
	}
	wantTraced(t, log.text.String(), "http request", "grpc call", "slow database statement")
}

// wantTraced demands one line of each message with the ids of the request.
func wantTraced(t *testing.T, log string, messages ...string) {
	t.Helper()
	var got []string
	for text := range strings.Lines(log) {
		var line struct {
			Msg, Statement string
			Request        string `json:"request_id"`
			Trace          string `json:"trace_id"`
			Span           string `json:"span_id"`
		}
		if json.Unmarshal([]byte(text[max(strings.Index(text, "{"), 0):]), &line) == nil && line.Request == "r-7" && line.Statement != opening {
			got = append(got, line.Msg)
			if line.Trace != callerTrace || line.Span == "" {
				t.Errorf("line %s", text)
			}
		}
	}
	slices.Sort(got)
	slices.Sort(messages)
	if !slices.Equal(got, messages) {
		t.Errorf("the lines of the request are %q, want %s", got, fmt.Sprintf("%q", messages))
	}
}
