package eventcenter_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/telemetry/tracing"
	"example.com/hub/services/edge/internal/eventcenter"
	"example.com/hub/services/edge/internal/front"
)

// network has listeners and connections in memory, so that a test's clock counts for them.
type network struct {
	conns chan net.Conn
	once  sync.Once
	over  chan struct{}
}

func newNetwork() *network { return &network{conns: make(chan net.Conn), over: make(chan struct{})} }

// Accept implements net.Listener.
func (n *network) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.over:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (n *network) Close() error {
	n.once.Do(func() { close(n.over) })
	return nil
}

// Addr implements net.Listener.
func (n *network) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1} }

// Dial connects, once somebody accepts.
func (n *network) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case n.conns <- far:
		return near, nil
	case <-n.over:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// world is a center between a caller and an event center, in memory.
type world struct {
	*eventcenter.Center
	edge, upstream *network
	caller         *http.Client
}

// newWorld runs one until end is called. Nobody accepts connections of the event center if answer is nil.
func newWorld(t testing.TB, answer http.HandlerFunc, change ...func(*eventcenter.Deps)) (w *world, end func()) {
	t.Helper()
	w = &world{edge: newNetwork(), upstream: newNetwork()}
	deps := eventcenter.Deps{Config: eventcenter.Config{URL: "http://center.test"}, Dial: w.upstream.Dial}
	for _, c := range change {
		c(&deps)
	}
	c := open(t, deps)
	w.Center = c
	edge := &http.Server{ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), Handler: edgeOf(c, deps.Tracer)}
	upstream := &http.Server{Handler: answer}
	var running sync.WaitGroup
	running.Go(func() { _ = edge.Serve(w.edge) })
	if answer != nil {
		running.Go(func() { _ = upstream.Serve(w.upstream) })
	}
	transport := &http.Transport{DialContext: w.edge.Dial}
	w.caller = &http.Client{Transport: transport}
	return w, func() {
		transport.CloseIdleConnections()
		_ = edge.Close()
		_ = upstream.Close()
		_ = w.edge.Close()
		_ = w.upstream.Close()
		if err := c.Shutdown(context.Background(), 0); err != nil {
			t.Error(err)
		}
		running.Wait()
	}
}

// open makes a center whose bodies may have 1 MiB.
func open(t testing.TB, deps eventcenter.Deps) *eventcenter.Center {
	t.Helper()
	deps.Config.MaxBody = 1 << 20
	deps.RemoteAddr = func(r *http.Request) string { return r.RemoteAddr }
	deps.Logger = slog.New(slog.DiscardHandler)
	c, err := eventcenter.New(deps)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// edgeOf is the part of an edge before a center, for which every caller is the client erp.
func edgeOf(c *eventcenter.Center, tracer *tracing.Tracer) http.Handler {
	serve := c.Area().Endpoints[0].Serve
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Hub-Origin", "edge")
		ctx, span := tracer.Request(r.Context(), r.Header)
		defer span.Answered("GET "+eventcenter.Path, http.StatusOK, "erp")
		ctx = auth.With(ctx, auth.Principal{Client: "erp", Scopes: []string{auth.ScopeClient}})
		serve(&front.Exchange{ResponseWriter: rw}, r.WithContext(ctx))
	})
}

// begin sends a request and gives the answer when its header is there.
func (w *world) begin(t testing.TB, method string, body io.Reader) (*http.Response, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, "http://hub.test"+eventcenter.Path+"/x", body)
	if err != nil {
		t.Fatal(err)
	}
	return w.caller.Do(r)
}

// wantFault demands a fault of Hub's own after a time, and gives the message.
func (w *world) wantFault(t *testing.T, method string, body io.Reader, status int, after time.Duration) {
	t.Helper()
	began := time.Now()
	resp, err := w.begin(t, method, body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || resp.StatusCode != status || resp.Header.Get("Hub-Origin") != "edge" {
		t.Errorf("%d %v %s, %v; want %d", resp.StatusCode, resp.Header, text, err, status)
	}
	if took := time.Since(began); took != after {
		t.Errorf("it took %s, want %s", took, after)
	}
}

// wantCut demands that the rest of an answer is cut after a time.
func wantCut(t *testing.T, resp *http.Response, began time.Time, after time.Duration) {
	t.Helper()
	_, err := io.Copy(io.Discard, bufio.NewReader(resp.Body))
	_ = resp.Body.Close()
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the answer ends with %v", err)
	}
	if took := time.Since(began); took != after {
		t.Errorf("it took %s, want %s", took, after)
	}
}
