package observability_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/hub/test/observability"
	"example.com/hub/test/source"
)

const (
	folder  = source.Root + "/deploy/observability"
	metrics = source.Root + "/docs/operations/metrics.md"
)

// variables are the values that a dashboard's variables get in the checks.
var variables = map[string]string{"__rate_interval": "5m", "namespace": ".*", "instance": ".*"}

func catalog(t *testing.T) observability.Catalog {
	t.Helper()
	c, err := observability.ReadCatalog(metrics)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"hub_http_requests_total", "go_goroutines", "process_cpu_seconds_total", "up"} {
		if _, ok := c[name]; !ok {
			t.Fatalf("%s is not in the catalog: %q", name, c.Names())
		}
	}
	return c
}

func rules(t *testing.T) observability.Rules {
	t.Helper()
	r, err := observability.ReadRules(filepath.Join(folder, "rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func dashboard(t *testing.T) observability.Dashboard {
	t.Helper()
	d, err := observability.ReadDashboard(filepath.Join(folder, "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// program finds a program of Prometheus that the Makefile puts into bin.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(source.Root, "bin", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v; run: make observability", err)
	}
	return path
}

func TestRules(t *testing.T) {
	for _, finding := range rules(t).Check(catalog(t)) {
		t.Error(finding)
	}
}

func TestDashboard(t *testing.T) {
	c := catalog(t)
	rules(t).Check(c)
	for _, finding := range dashboard(t).Check(c, variables) {
		t.Error(finding)
	}
}

func TestAlertsFireAndStaySilent(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), program(t, "promtool"), "test", "rules", "rules_test.yaml", "rules_days_test.yaml")
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}

// TestEveryAlertIsTested wants each alert to fire in a unit test, and to be silent in one.
func TestEveryAlertIsTested(t *testing.T) {
	var tests strings.Builder
	for _, name := range []string{"rules_test.yaml", "rules_days_test.yaml"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(text)
	}
	for _, a := range rules(t).Alerts {
		if !strings.Contains(tests.String(), "alertname: "+a.Alert+"\n    exp_alerts:\n") {
			t.Errorf("%s never fires in a test", a.Alert)
		}
		if !strings.Contains(tests.String(), "alertname: "+a.Alert+"}\n") {
			t.Errorf("%s is never silent in a test", a.Alert)
		}
	}
}

func TestEveryAlertHasASection(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(source.Root, observability.Runbook))
	if err != nil {
		t.Fatal(err)
	}
	var sections, alerts []string
	for _, heading := range regexp.MustCompile(`(?m)^### (.*)$`).FindAllStringSubmatch(string(page), -1) {
		sections = append(sections, heading[1])
	}
	for _, a := range rules(t).Alerts {
		alerts = append(alerts, a.Alert)
	}
	if !slices.Equal(sections, alerts) {
		t.Errorf("the sections of %s are\n%q, the alerts\n%q", observability.Runbook, sections, alerts)
	}
}
