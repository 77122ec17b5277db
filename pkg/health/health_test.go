package health_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"example.com/hub/pkg/health"
)

func get(t *testing.T, h *health.Health, path string) (int, string) {
	t.Helper()
	rec := httptest.NewRecorder()
	h.Handler().ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return rec.Code, strings.TrimSpace(rec.Body.String())
}

func serving(t *testing.T, h *health.Health) bool {
	t.Helper()
	resp, err := h.Server().Check(t.Context(), &healthpb.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return resp.GetStatus() == healthpb.HealthCheckResponse_SERVING
}

// outage is a dependency that can be away.
type outage struct{ reason atomic.Pointer[string] }

func (o *outage) begin(reason string) { o.reason.Store(&reason) }

func (o *outage) end() { o.reason.Store(nil) }

func (o *outage) probe(context.Context) error {
	if reason := o.reason.Load(); reason != nil {
		return errors.New(*reason)
	}
	return nil
}

// nextRound lets the synthetic clock pass to after the next probe.
func nextRound() {
	<-time.After(time.Second)
	synctest.Wait()
}

func TestReadinessFollowsTheChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var database outage
		database.begin("connection refused")
		h := health.New(health.Check{Name: "database", Probe: database.probe})
		if code, _ := get(t, h, "/readyz"); code != http.StatusServiceUnavailable {
			t.Errorf("ready before the first probe: %d", code)
		}

		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go h.Run(ctx)
		synctest.Wait()
		if code, body := get(t, h, "/readyz"); code != http.StatusServiceUnavailable || body != "database: connection refused" {
			t.Errorf("got %d %q", code, body)
		}
		if code, _ := get(t, h, "/livez"); code != http.StatusOK {
			t.Errorf("not alive: %d", code)
		}

		database.end()
		nextRound()
		if code, _ := get(t, h, "/readyz"); code != http.StatusOK || !serving(t, h) {
			t.Errorf("not ready though the database is back: %d", code)
		}

		database.begin("gone")
		nextRound()
		if !serving(t, h) {
			t.Error("one failure made it unready")
		}
		nextRound()
		if code, _ := get(t, h, "/readyz"); code != http.StatusServiceUnavailable || serving(t, h) {
			t.Errorf("still ready after two failures: %d", code)
		}
	})
}

func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := health.New()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go h.Run(ctx)
		synctest.Wait()
		if !serving(t, h) {
			t.Fatal("not ready without checks")
		}
		h.Drain()
		if code, body := get(t, h, "/readyz"); code != http.StatusServiceUnavailable || body != "draining" || serving(t, h) {
			t.Errorf("got %d %q", code, body)
		}
	})
}

func TestDrainingKeepsServingForTheDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := health.New()
		begin := time.Now()
		if err := h.Draining(10 * time.Second).Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took != 10*time.Second || h.Ready() == nil {
			t.Errorf("after %v ready is %v", took, h.Ready())
		}
	})
}

func TestAdminServer(t *testing.T) {
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hub_build_info 1") })
	server := health.New().NewServer(metrics)
	if server.ReadHeaderTimeout <= 0 {
		t.Error("a slow client can keep a connection for ever")
	}
	for _, tt := range []struct {
		method, path string
		code         int
		body         string
	}{
		{"GET", "/livez", 200, "ok"},
		{"GET", "/readyz", 200, "ok"},
		{"GET", "/metrics", 200, "hub_build_info 1"},
		{"GET", "/debug/pprof/", 200, "heap"},
		{"GET", "/debug/pprof/goroutine?debug=1", 200, "goroutine profile"},
		{"GET", "/debug/pprof/cmdline", 200, ""},
		{"GET", "/debug/pprof/symbol", 200, "num_symbols"},
		{"POST", "/metrics", 405, ""},
		{"GET", "/debug", 404, ""},
		{"GET", "/", 404, ""},
	} {
		rec := httptest.NewRecorder()
		server.Handler.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), tt.method, tt.path, nil))
		if rec.Code != tt.code || !strings.Contains(rec.Body.String(), tt.body) {
			t.Errorf("%s %s: got %d %.80q, want %d and %q", tt.method, tt.path, rec.Code, rec.Body, tt.code, tt.body)
		}
	}
}
