package observability_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/rulefmt"

	"example.com/hub/test/observability"
)

// TestBrokenQueriesAreFound shows that each check can fail.
func TestBrokenQueriesAreFound(t *testing.T) {
	c := catalog(t)
	for _, tt := range []struct{ query, want string }{
		{`sum(rate(hub_http_requests_total[5m])`, "unclosed left parenthesis"},
		{`rate(hub_http_request_total[5m])`, `there is no metric "hub_http_request_total"`},
		{`rate({job="edge"}[5m])`, `there is no metric ""`},
		{`rate(hub_http_requests_total{method="GET"}[5m])`, "hub_http_requests_total has no label method"},
		{`sum by (method) (rate(hub_http_requests_total[5m]))`, "grouping: no metric has the label method"},
		{`hub_edge_streams / on (edge) hub_edge_streams_max`, "matching: no metric has the label edge"},
		{`hub_edge_streams{job="todohub"}`, `hub_edge_streams is not a metric of job="todohub"`},
		{`hub_http_requests_total > 1`, "hub_http_requests_total is a counter and needs rate or increase"},
		{`max_over_time(hub_http_requests_total[5m])`, "hub_http_requests_total is a counter and needs rate or increase"},
		{`rate(hub_edge_streams[5m])`, "hub_edge_streams is a gauge and has no rate"},
		{`hub_http_request_duration_seconds`, `there is no metric "hub_http_request_duration_seconds"`},
		{`histogram_quantile(0.9, hub_http_request_duration_seconds_bucket)`, "hub_http_request_duration_seconds_bucket is a counter and needs rate"},
		{`sum by (le) (rate(hub_http_request_duration_seconds_count[5m]))`, "grouping: no metric has the label le"},
	} {
		if got := c.Check(tt.query).Findings; !found(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.query, got, tt.want)
		}
	}
	for _, query := range []string{
		`sum by (route, le) (rate(hub_http_request_duration_seconds_bucket{job=~"edge|hub"}[5m]))`,
		`sum(rate(hub_http_request_duration_seconds_sum[5m]))`,
		`go_gc_duration_seconds{quantile="1"}`,
		`last_over_time(hub_build_info[1h])`,
	} {
		if got := c.Check(query).Findings; len(got) > 0 {
			t.Errorf("%s: %q", query, got)
		}
	}
}

func TestBrokenRulesAreFound(t *testing.T) {
	for _, tt := range []struct {
		name string
		harm func(r *observability.Rules, a *rulefmt.Rule)
		want string
	}{
		{"query", func(_ *observability.Rules, a *rulefmt.Rule) { a.Expr = "nothing" }, `there is no metric "nothing"`},
		{"recording", func(r *observability.Rules, _ *rulefmt.Rule) { r.Recordings = r.Recordings[1:] }, "there is no metric"},
		{"severity", func(_ *observability.Rules, a *rulefmt.Rule) { a.Labels = nil }, `its severity is ""`},
		{"text", func(_ *observability.Rules, a *rulefmt.Rule) { delete(a.Annotations, "summary") }, "it has no summary"},
		{"label", func(_ *observability.Rules, a *rulefmt.Rule) { a.Annotations["description"] = "{{ $labels.colour }}" }, "its description uses the label colour"},
		{"runbook", func(_ *observability.Rules, a *rulefmt.Rule) { a.Annotations["runbook"] = "#" }, "its runbook is not docs/operations/alerts.md#"},
		{"name", func(r *observability.Rules, a *rulefmt.Rule) { r.Alerts = append(r.Alerts, *a) }, "stands twice"},
	} {
		r := rules(t)
		tt.harm(&r, &r.Alerts[len(r.Alerts)-1])
		if got := r.Check(catalog(t)); !found(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestBrokenDashboardsAreFound(t *testing.T) {
	c := catalog(t)
	rules(t).Check(c)
	for _, tt := range []struct {
		name string
		harm func(d *observability.Dashboard, row, panel *observability.Panel)
		want string
	}{
		{"uid", func(d *observability.Dashboard, _, _ *observability.Panel) { d.UID = "" }, `uid ""`},
		{"id", func(_ *observability.Dashboard, row, panel *observability.Panel) { panel.ID = row.ID }, "has the id"},
		{"place", func(_ *observability.Dashboard, row, panel *observability.Panel) { panel.GridPos = row.GridPos }, "covers"},
		{"edge of the grid", func(_ *observability.Dashboard, _, panel *observability.Panel) { panel.GridPos.X = 22 }, "lies outside of the grid"},
		{"row", func(_ *observability.Dashboard, row, _ *observability.Panel) { row.Title = "" }, "a row has a title"},
		{"unit", func(_ *observability.Dashboard, _, panel *observability.Panel) { panel.FieldConfig.Defaults.Unit = "" }, "a panel has a title, a description, a unit and queries"},
		{"data source", func(_ *observability.Dashboard, _, panel *observability.Panel) { panel.Datasource = nil }, "its data source is not the chosen one"},
		{"query", func(_ *observability.Dashboard, _, panel *observability.Panel) { panel.Targets[0].Expr = "nothing" }, `there is no metric "nothing"`},
		{"data source of a query", func(_ *observability.Dashboard, _, panel *observability.Panel) { panel.Targets[0].Datasource = nil }, "the data source of A is not the chosen one"},
		{"legend", func(_ *observability.Dashboard, _, panel *observability.Panel) {
			panel.Targets[0].LegendFormat = "{{colour}}"
		}, "its legend uses the label colour"},
		{"names of queries", func(_ *observability.Dashboard, _, panel *observability.Panel) {
			panel.Targets = append(panel.Targets, panel.Targets[0])
		}, `two queries are "A"`},
		{"variables", func(d *observability.Dashboard, _, _ *observability.Panel) { d.Templating.List = nil }, "there is no variable namespace"},
		{"variable", func(d *observability.Dashboard, _, _ *observability.Panel) {
			d.Templating.List[1].Definition = "label_values(nothing, job)"
		}, `variable namespace: there is no metric "nothing"`},
		{"annotation", func(d *observability.Dashboard, _, _ *observability.Panel) { d.Annotations.List[0].Expr = "nothing" }, "annotation: there is no metric"},
	} {
		d := dashboard(t)
		row := slices.IndexFunc(d.Panels, func(p observability.Panel) bool { return p.Type == "row" })
		tt.harm(&d, &d.Panels[row], &d.Panels[row+1])
		if got := d.Check(c, variables); !found(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func found(findings []string, want string) bool {
	return slices.ContainsFunc(findings, func(f string) bool { return strings.Contains(f, want) })
}
