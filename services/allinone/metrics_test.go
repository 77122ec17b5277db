package allinone_test

import (
	"bufio"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/bus/redisbus"
	"example.com/hub/pkg/redis"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/tlsfiles/tlstest"
	"example.com/hub/services/allinone"
	"example.com/hub/services/edge"
	"example.com/hub/services/todohub/store/postgres"
)

// metric is what a scrape or the documentation says of a metric.
type metric struct {
	Type, Labels, Meaning string
}

var sample = regexp.MustCompile(`^([a-z_]+)(?:\{(.*)\})? [^ ]+$`)

// parse reads a scrape in the text format, but for what Go and Prometheus name.
func parse(t *testing.T, text string) map[string]metric {
	t.Helper()
	all := map[string]metric{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			name, help, _ := strings.Cut(rest, " ")
			all[name] = metric{Meaning: help}
			continue
		}
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, kind, _ := strings.Cut(rest, " ")
			m := all[name]
			m.Type = kind
			all[name] = m
			continue
		}
		found := sample.FindStringSubmatch(line)
		if found == nil {
			t.Fatalf("what is %q?", line)
		}
		name := found[1]
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if of := strings.TrimSuffix(name, suffix); all[of].Type == "histogram" || all[of].Type == "summary" {
				name = of
			}
		}
		m, known := all[name]
		if !known {
			t.Fatalf("%s has no help", name)
		}
		m.Labels = labels(found[2])
		all[name] = m
	}
	maps.DeleteFunc(all, func(name string, _ metric) bool { return !strings.HasPrefix(name, "hub_") })
	return all
}

var label = regexp.MustCompile(`([a-z_]+)="[^"]*"`)

// labels names those of a sample, without the bound of a bucket.
func labels(text string) string {
	var names []string
	for _, found := range label.FindAllStringSubmatch(text, -1) {
		if found[1] != "le" {
			names = append(names, found[1])
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// documented reads the table of docs/operations/metrics.md; in gives the binaries of each metric.
func documented(t *testing.T) (all map[string]metric, in map[string][]string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/operations/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	all, in = map[string]metric{}, map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| `hub_") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 5 {
			t.Fatalf("%d cells in %s", len(cells), line)
		}
		for i := range cells {
			cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), "`", "")
		}
		if _, twice := all[cells[0]]; twice {
			t.Errorf("%s is documented twice", cells[0])
		}
		all[cells[0]] = metric{Type: cells[1], Labels: cells[2], Meaning: cells[4]}
		in[cells[0]] = strings.Split(strings.ReplaceAll(cells[3], "all", "edge, hubs, hub"), ", ")
	}
	return all, in
}

// scrape asks a running Hub.
func scrape(t *testing.T, hub *allinone.Hub) string {
	t.Helper()
	code, body := admin(t, hub, "/metrics")
	if code != http.StatusOK {
		t.Fatalf("status %d: %s", code, body)
	}
	return body
}

func admin(t *testing.T, hub *allinone.Hub, path string) (int, string) {
	t.Helper()
	resp := get(t, hub.AdminURL()+path, "")
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// withAdmin are settings that open the admin listener.
const withAdmin = "HUB_ADMIN_ADDR=127.0.0.1:0"

// distributed gives the metrics that only the other binaries have. Neither Redis nor PostgreSQL is
// needed to be asked about.
func distributed(t *testing.T) map[string]metric {
	t.Helper()
	r := telemetry.New()
	client, err := redis.NewClient("redis://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	events, err := redisbus.New(redisbus.Deps{Client: client, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = events.Close(t.Context()) }()
	events.Measure(r)
	hub, err := edge.Dial(edge.Target{Area: "todo", Address: "127.0.0.1:1", Metrics: r})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = hub.Close() }()
	keys := keys.NewRemote(keys.Config{JWKSURL: "http://127.0.0.1:1", Logger: slog.New(slog.DiscardHandler)})
	defer keys.Close()
	keys.Measure(r)
	db, err := postgres.Open(t.Context(), pg.Deps{
		Config:  pg.Config{URL: "postgres://127.0.0.1:1/hub", MaxConns: 1, AcquireTimeout: time.Second},
		Metrics: r,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	w := httptest.NewRecorder()
	r.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	all := parse(t, w.Body.String())
	delete(all, "hub_build_info")
	return all
}

func TestMetricsAreThoseOfTheDocumentation(t *testing.T) {
	want, in := documented(t)
	_, certificate := withCertificate(t, tlstest.New(t))
	ofHub := parse(t, scrape(t, start(t, append(certificate, withAdmin)...)))
	got := distributed(t)
	for name, m := range ofHub {
		if _, both := got[name]; both {
			t.Errorf("%s is in hub, too", name)
		}
		got[name] = m
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the table differs from the metrics (-table +metrics):\n%s", diff)
	}
	for name, binaries := range in {
		if _, has := ofHub[name]; has != slices.Contains(binaries, "hub") {
			t.Errorf("%s: hub has it: %v; the table says %v", name, has, binaries)
		}
	}
}

func TestMetricsHoldNothingOfCallers(t *testing.T) {
	hub := start(t, withAdmin)
	access := token(t, hub, "portal")
	stream := get(t, hub.URL()+"/message-hub/stream?user=canary", access)
	if _, err := bufio.NewReader(stream.Body).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/message-hub/unread-count?username=canary", "/message-hub/inbox?username=canary", "/canary", "/message-hub/canary/read"} {
		get(t, hub.URL()+path, access)
	}
	// A request is counted after its answer, and a stream when its connection has been handed over.
	lines := []string{
		"hub_edge_streams 1",
		`hub_http_requests_total{code="200",route="GET /message-hub/stream"} 1`,
		`hub_http_requests_total{code="200",route="GET /message-hub/unread-count"} 1`,
		`hub_http_requests_total{code="404",route="other"} 2`,
		`hub_grpc_requests_total{code="OK",method="/hub.message.v1.MessageService/CountUnread"} 1`,
		`hub_token_cache_lookups_total{result="miss"} 1`,
	}
	text := scrape(t, hub)
	missing := func(line string) bool { return !strings.Contains(text, line+"\n") }
	for deadline := time.Now().Add(30 * time.Second); slices.ContainsFunc(lines, missing) && time.Now().Before(deadline); {
		text = scrape(t, hub)
	}
	for _, line := range slices.DeleteFunc(lines, func(line string) bool { return !missing(line) }) {
		t.Errorf("no %s", line)
	}
	for _, secret := range []string{"canary", `"portal"`, access} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is in the metrics", secret)
		}
	}
}

// wantReady waits for the first look at what a hub works with, and wants it to be ready then.
func wantReady(t *testing.T, hub *allinone.Hub) {
	t.Helper()
	for ready := false; !ready; {
		code, body := admin(t, hub, "/readyz")
		if ready = code == http.StatusOK; !ready && !strings.Contains(body, "not probed yet") {
			t.Fatalf("not ready: %d %s", code, body)
		}
	}
}

func TestAdminListener(t *testing.T) {
	if url := start(t).AdminURL(); url != "" {
		t.Errorf("an admin listener that nobody asked for: %s", url)
	}
	hub := start(t, withAdmin)
	if code, body := admin(t, hub, "/livez"); code != http.StatusOK {
		t.Errorf("not alive: %d %s", code, body)
	}
	wantReady(t, hub)
	if code, _ := admin(t, hub, "/debug/pprof/heap"); code != http.StatusOK {
		t.Errorf("no heap profile: %d", code)
	}
	for _, path := range []string{"/metrics", "/debug/pprof/", "/livez", "/readyz"} {
		if resp := get(t, hub.URL()+path, token(t, hub, "erp")); resp.StatusCode != http.StatusNotFound {
			t.Errorf("callers reach %s: %s", path, resp.Status)
		}
	}
}
