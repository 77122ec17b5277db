package observability_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"

	"example.com/hub/test/observability"
	"example.com/hub/test/shape"
	"example.com/hub/test/shape/shapetest"
	"example.com/hub/test/source"
)

// patience is how long queries may be without a series.
const patience = 30 * time.Second

// without are metrics that Hub has only in some settings, or after a fault.
var without = []string{
	"hub_tls_certificate_expiry_timestamp_seconds", // the Hub of this test has no certificate
}

// TestQueriesHaveSeries runs the distributed shape and a Prometheus, and wants an answer to each query
// of the dashboard and for each metric of the rules.
func TestQueriesHaveSeries(t *testing.T) {
	cfg := startHub(t)
	prom := startPrometheus(t, cfg)
	r := rules(t)
	queries := queries(t, r)

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for round := 0; ; round++ {
		calls(ctx, t, "http://"+cfg.Edges[0].Public, round)
		for query := range queries {
			optional := slices.ContainsFunc(without, func(name string) bool { return strings.Contains(query, name) })
			if optional || prom.answers(ctx, query) == nil {
				delete(queries, query)
			}
		}
		faults := prom.evaluated(ctx, len(r.Recordings)+len(r.Alerts))
		if len(queries) == 0 && faults == nil {
			return
		}
		select {
		case <-ctx.Done():
			for query, where := range queries {
				t.Errorf("%s: no series for %s", where, query)
			}
			t.Fatalf("rules: %v", faults)
		case <-tick.C:
		}
	}
}

// queries are those of the dashboard, and the metrics of the rules, with where they stand.
func queries(t *testing.T, r observability.Rules) map[string]string {
	t.Helper()
	all := map[string]string{}
	values := map[string]string{"__rate_interval": "1m", "namespace": ".*", "instance": ".*"}
	for _, p := range dashboard(t).Panels {
		for _, target := range p.Targets {
			all[observability.Substitute(target.Expr, values)] = p.Title
		}
	}
	for _, rule := range append(r.Recordings, r.Alerts...) {
		tree, err := parser.NewParser(parser.Options{}).ParseExpr(rule.Expr)
		if err != nil {
			t.Fatal(err)
		}
		parser.Inspect(tree, func(n parser.Node, _ []parser.Node) error {
			if v, ok := n.(*parser.VectorSelector); ok && !strings.Contains(v.Name, ":") {
				all[v.Name] = rule.Record + rule.Alert
			}
			return nil
		})
	}
	return all
}

// startHub runs a replica of each service.
func startHub(t *testing.T) shape.Config {
	t.Helper()
	home := shapetest.Home(t)
	cfg := shapetest.Config(t, filepath.Join(home, "bin"), home, 1)
	if err := source.Build(t.Context(), source.Root, cfg.Bin, shape.Services()); err != nil {
		t.Fatal(err)
	}
	shapetest.Start(t, cfg)
	return cfg
}

// calls makes the calls of a business system and of a portal, good ones and bad ones, and leaves a
// stream open.
func calls(ctx context.Context, t *testing.T, hub string, round int) {
	t.Helper()
	token, err := shape.Token(ctx, http.DefaultClient, hub)
	if err != nil {
		t.Fatal(err)
	}
	call := func(method, path, body, access string, want int) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(ctx, method, hub+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+access)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		if resp.StatusCode != want {
			t.Fatalf("%s %s: %s", method, path, resp.Status)
		}
		return resp
	}
	stream := bufio.NewReader(call("GET", "/message-hub/stream?user=ann", "", token, 200).Body)
	message := fmt.Sprintf(`{"sourceMessageId":"m-%d","targetUsernames":["ann"],"title":"t","content":"c"}`, round)
	call("POST", "/message-hub/messages", message, token, 200)
	for line := ""; line != "event: message\n"; {
		if line, err = stream.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	call("GET", "/todo-hub/todos?assigneeUsername=ann", "", token, 200)
	call("POST", "/todo-hub/todos", `{}`, token, 400)
	call("GET", "/todo-hub/todos?assigneeUsername=ann", "", "nobody's", 401)
}

// watcher is a running Prometheus.
type watcher struct{ base string }

// startPrometheus scrapes the replicas every half a second, with the rules.
func startPrometheus(t *testing.T, hub shape.Config) watcher {
	t.Helper()
	dir := t.TempDir()
	file, err := filepath.Abs(filepath.Join(folder, "rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var targets []any
	target := func(job string, a []shape.Address) {
		targets = append(targets, map[string]any{
			"targets": []string{a[0].Admin}, "labels": map[string]string{"job": job, "namespace": "hub"},
		})
	}
	target("edge", hub.Edges)
	for name, replicas := range hub.Hubs {
		target(name, replicas)
	}
	settings, err := yaml.Marshal(map[string]any{
		"global":         map[string]string{"scrape_interval": "500ms", "scrape_timeout": "500ms", "evaluation_interval": "500ms"},
		"rule_files":     []string{file},
		"scrape_configs": []any{map[string]any{"job_name": "hub", "static_configs": targets}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), settings, 0o600); err != nil {
		t.Fatal(err)
	}
	address := shapetest.FreeAddress(t)
	cmd := exec.CommandContext(t.Context(), program(t, "prometheus"), "--config.file=prometheus.yml",
		"--storage.tsdb.path=data", "--web.listen-address="+address, "--log.level=warn")
	cmd.Dir = dir
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("Prometheus wrote:\n%s", log.String())
		}
	})
	return watcher{"http://" + address}
}

// answers tells whether a query has a series.
func (w watcher) answers(ctx context.Context, query string) error {
	var answer struct {
		Error string
		Data  struct{ Result []any }
	}
	if err := w.get(ctx, "/api/v1/query?query="+url.QueryEscape(query), &answer); err != nil {
		return err
	}
	if len(answer.Data.Result) == 0 {
		return fmt.Errorf("no series; %s", answer.Error)
	}
	return nil
}

// evaluated tells whether every rule was evaluated without a fault.
func (w watcher) evaluated(ctx context.Context, rules int) error {
	var answer struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Health, LastError string }
			}
		}
	}
	if err := w.get(ctx, "/api/v1/rules", &answer); err != nil {
		return err
	}
	healthy := 0
	for _, g := range answer.Data.Groups {
		for _, r := range g.Rules {
			if r.Health != "ok" {
				return fmt.Errorf("%s is %s: %s", r.Name, r.Health, r.LastError)
			}
			healthy++
		}
	}
	if healthy != rules {
		return fmt.Errorf("%d rules instead of %d", healthy, rules)
	}
	return nil
}

func (w watcher) get(ctx context.Context, path string, answer any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return errors.Join(json.NewDecoder(resp.Body).Decode(answer), resp.Body.Close())
}
