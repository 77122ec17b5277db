package eventcenter_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/reload"
	"example.com/hub/pkg/telemetry/tracing/tracingtest"
	"example.com/hub/services/edge/internal/eventcenter"
)

// ask makes a call and gives its answer, which is read.
func (w *world) ask(t *testing.T, method string) *http.Response {
	t.Helper()
	resp, err := w.begin(t, method, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp
}

func TestTheTokenIsReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	write := func(content string) {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first\n")
	var got string
	bubble(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("Authorization") }, func(t *testing.T, w *world) {
		for _, step := range []struct{ content, want string }{
			{"first\n", "Bearer first"}, {"second\n", "Bearer second"}, {"", "Bearer second"}, {"no token\n", "Bearer second"}, {"third", "Bearer third"},
		} {
			write(step.content)
			pause(reload.Every)
			if w.ask(t, http.MethodGet); got != step.want {
				t.Errorf("after %q in the file it is %q, want %q", step.content, got, step.want)
			}
		}
	}, func(d *eventcenter.Deps) { d.Config.TokenFile = file })
}

// TestWhatACallTakes has a limit of two reads and three writes a second.
func TestWhatACallTakes(t *testing.T) {
	bubble(t, func(http.ResponseWriter, *http.Request) {}, func(t *testing.T, w *world) {
		for _, step := range []struct {
			method string
			status int
			policy string
		}{
			{http.MethodGet, http.StatusOK, `"reads";q=2;w=1`},
			{http.MethodHead, http.StatusOK, `"reads";q=2;w=1`},
			{http.MethodGet, http.StatusTooManyRequests, `"reads";q=2;w=1`},
			{http.MethodPost, http.StatusOK, `"writes";q=3;w=1`},
			{http.MethodOptions, http.StatusOK, `"writes";q=3;w=1`},
			{"PROPFIND", http.StatusOK, `"writes";q=3;w=1`},
			{http.MethodDelete, http.StatusTooManyRequests, `"writes";q=3;w=1`},
			{http.MethodHead, http.StatusTooManyRequests, `"reads";q=2;w=1`},
		} {
			resp := w.ask(t, step.method)
			if resp.StatusCode != step.status || resp.Header.Get("RateLimit-Policy") != step.policy {
				t.Errorf("%s: %s %v, want %d and %s", step.method, resp.Status, resp.Header, step.status, step.policy)
			}
			refused := step.status != http.StatusOK
			if (resp.Header.Get("Retry-After") == "1") != refused || (resp.Header.Get("Hub-Origin") == "edge") != refused {
				t.Errorf("%s: %v", step.method, resp.Header)
			}
		}
		pause(time.Second)
		for _, method := range []string{http.MethodGet, http.MethodPut} {
			if resp := w.ask(t, method); resp.StatusCode != http.StatusOK {
				t.Errorf("%s a second later: %s", method, resp.Status)
			}
		}
	}, func(d *eventcenter.Deps) {
		d.Limiter = ratelimit.New(ratelimit.Config{Writes: 3, Reads: 2, Burst: time.Second}, ratelimit.Deps{})
	})
}

func TestACallIsASpanOfItsTrace(t *testing.T) {
	const caller, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	tracer, end := tracingtest.Open(t)
	var sent, state string
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, state = r.Header.Get("Traceparent"), r.Header.Get("Tracestate")
		w.WriteHeader(http.StatusTeapot)
	}))
	defer upstream.Close()
	edge := edgeOf(open(t, eventcenter.Deps{Config: eventcenter.Config{URL: upstream.URL}, Tracer: tracer}), tracer)
	for _, method := range []string{http.MethodGet, "PROPFIND"} {
		r := httptest.NewRequest(method, eventcenter.Path+"/secret?secret", http.NoBody)
		r.Header = http.Header{"Traceparent": {"00-" + caller + "-" + parent + "-01"}, "Tracestate": {"a=b"}}
		edge.ServeHTTP(httptest.NewRecorder(), r)
	}
	var names []string
	spans := map[string]tracingtest.Span{}
	for _, s := range end() {
		spans[s.ID] = s
		if s.Kind != "client" {
			continue
		}
		names = append(names, s.Name)
		if s.Trace != caller || !s.Failed || s.Attributes["http.response.status_code"] != "int_value:418" || spans[s.Parent].Kind == "client" {
			t.Errorf("%+v", s)
		}
		for _, value := range s.Attributes {
			if strings.Contains(value, "secret") {
				t.Errorf("%+v tells what the caller asks for", s)
			}
		}
	}
	if strings.Join(names, " ") != "GET HTTP" {
		t.Errorf("the spans are %q", names)
	}
	parts := strings.Split(sent, "-")
	if len(parts) != 4 || parts[1] != caller || spans[parts[2]].Kind != "client" || parts[3] != "01" || state != "a=b" {
		t.Errorf("the event center is told %q, %q", sent, state)
	}
}

// TestWhoDoesNotReadIsCut is over real sockets, whose buffers fill.
func TestWhoDoesNotReadIsCut(t *testing.T) {
	ended := make(chan struct{})
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		defer close(ended)
		for block := make([]byte, 64<<10); ; {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}))
	defer upstream.Close()
	c := open(t, eventcenter.Deps{Config: eventcenter.Config{URL: upstream.URL}})
	const silence = 300 * time.Millisecond
	c.SetSilence(silence)
	handler, released := edgeOf(c, nil), make(chan struct{})
	edge := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(released)
		handler.ServeHTTP(w, r)
	}))
	defer edge.Close()
	conn, err := net.Dial("tcp", edge.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	began := time.Now()
	if _, err := io.WriteString(conn, "GET "+eventcenter.Path+" HTTP/1.1\r\nHost: hub.test\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	for what, over := range map[string]chan struct{}{"event center": ended, "edge": released} {
		select {
		case <-over:
		case <-time.After(20 * time.Second):
			_ = conn.Close()
			t.Fatalf("the %s still writes", what)
		}
	}
	if took := time.Since(began); took < silence {
		t.Errorf("it was cut after %s already", took)
	}
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(conn); err == nil && strings.HasSuffix(string(got), "0\r\n\r\n") {
		t.Error("the answer ends as if it was whole")
	}
}
