package telemetry_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"

	"example.com/hub/pkg/telemetry"
)

// scrape gives the lines of all metrics whose name begins with prefix.
func scrape(t *testing.T, r *telemetry.Registry, prefix string) []string {
	t.Helper()
	w := httptest.NewRecorder()
	r.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	var lines []string
	for line := range strings.Lines(w.Body.String()) {
		if name := strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE "); strings.HasPrefix(name, prefix) {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

func TestEveryProcessTellsOfItself(t *testing.T) {
	r := telemetry.New()
	for _, name := range []string{"go_goroutines ", "process_resident_memory_bytes ", `hub_build_info{goversion="go1.`} {
		if len(scrape(t, r, name)) == 0 {
			t.Errorf("no %s", name)
		}
	}
}

func TestRegistriesShareNothing(t *testing.T) {
	one, two := telemetry.New(), telemetry.New()
	one.GRPCRequests(nil).Of("").Done(int(codes.OK), 0)
	two.GRPCRequests(nil)
	const total = "hub_grpc_requests_total{"
	if diff := cmp.Diff(scrape(t, one, total), scrape(t, two, total)); diff == "" {
		t.Error("a call in one process is counted in another")
	}
}

type stats struct {
	hits, misses uint64
	size         int
	age          time.Duration
	up           bool
}

func TestReadAsksOnceForEachScrape(t *testing.T) {
	r := telemetry.New()
	reads := uint64(0)
	read := func() stats {
		reads++
		return stats{hits: reads, misses: 1 << 40, size: -3, age: 1500 * time.Millisecond, up: true}
	}
	telemetry.Read(
		r, read,
		telemetry.Counter("x_lookups_total", "Lookups.", func(s stats) uint64 { return s.hits }, "result", "hit"),
		telemetry.Counter("x_lookups_total", "Lookups.", func(s stats) uint64 { return s.misses }, "result", "miss"),
		telemetry.Gauge("x_size", "Size.", func(s stats) int { return s.size }),
		telemetry.Gauge("x_age_seconds", "Age.", func(s stats) float64 { return s.age.Seconds() }),
		telemetry.Gauge("x_up", "Up.", func(s stats) int { return telemetry.Flag(s.up) }),
		telemetry.Gauge("x_down", "Down.", func(s stats) int { return telemetry.Flag(!s.up) }),
	)
	reads = 0
	scrape(t, r, "x_")
	want := []string{
		"# HELP x_age_seconds Age.", "# TYPE x_age_seconds gauge", "x_age_seconds 1.5",
		"# HELP x_down Down.", "# TYPE x_down gauge", "x_down 0",
		"# HELP x_lookups_total Lookups.", "# TYPE x_lookups_total counter",
		`x_lookups_total{result="hit"} 2`, `x_lookups_total{result="miss"} 1.099511627776e+12`,
		"# HELP x_size Size.", "# TYPE x_size gauge", "x_size -3",
		"# HELP x_up Up.", "# TYPE x_up gauge", "x_up 1",
	}
	if diff := cmp.Diff(want, scrape(t, r, "x_")); diff != "" {
		t.Error(diff)
	}
}

func TestRequests(t *testing.T) {
	r := telemetry.New()
	calls := r.GRPCRequests([]string{"/a/A", "/a/B"})
	calls.Of("/a/A").Done(int(codes.OK), 3*time.Millisecond)
	calls.Of("/a/A").Done(int(codes.NotFound), time.Minute)
	calls.Of("/forged/Name").Done(int(codes.Unimplemented), 0)
	got := scrape(t, r, "hub_grpc_")
	for _, line := range []string{
		"# TYPE hub_grpc_requests_total counter",
		`hub_grpc_requests_total{code="OK",method="/a/A"} 1`,
		`hub_grpc_requests_total{code="NotFound",method="/a/A"} 1`,
		`hub_grpc_requests_total{code="OK",method="/a/B"} 0`,
		`hub_grpc_requests_total{code="Unimplemented",method="other"} 1`,
		"# TYPE hub_grpc_request_duration_seconds histogram",
		`hub_grpc_request_duration_seconds_bucket{method="/a/A",le="0.0025"} 0`,
		`hub_grpc_request_duration_seconds_bucket{method="/a/A",le="0.005"} 1`,
		`hub_grpc_request_duration_seconds_bucket{method="/a/A",le="10"} 1`,
		`hub_grpc_request_duration_seconds_bucket{method="/a/A",le="+Inf"} 2`,
		`hub_grpc_request_duration_seconds_sum{method="/a/A"} 60.003`,
	} {
		if !slices.Contains(got, line) {
			t.Errorf("no %s in %s", line, strings.Join(got, "\n"))
		}
	}
	if strings.Contains(strings.Join(got, "\n"), "forged") {
		t.Error("a caller made a label up")
	}
}

func TestNoRequestsCountNothing(t *testing.T) {
	var none *telemetry.Requests
	if e := none.Of("/a/A"); e != nil {
		t.Errorf("got %v", e)
	}
	none.Of("/a/A").Done(0, time.Second)
}

func BenchmarkDone(b *testing.B) {
	routes := []string{"GET /a", "POST /b"}
	requests := telemetry.New().HTTPRequests(routes)
	for name, code := range map[string]int{"success": http.StatusOK, "failure": http.StatusNotFound} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				requests.Of("POST /b").Done(code, 3*time.Millisecond)
			}
		})
	}
}
