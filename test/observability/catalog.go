// Package observability checks what deploy/observability gives to a Prometheus and a Grafana: that the
// rules and the dashboard name only metrics and labels that Hub has, use each as its type asks for, and
// are whole themselves.
package observability

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"example.com/hub/test/shape"
)

// Metric is what a scrape says of one metric, and who has it.
type Metric struct {
	// Type is counter, gauge, histogram or summary.
	Type string
	// Labels are its own, without those of the target.
	Labels []string
	// Services are the binaries that have it.
	Services []string
}

// Catalog holds metrics by their names.
type Catalog map[string]Metric

// services are all binaries.
var services = append(shape.Services(), "hub")

// targetLabels are what Prometheus adds to each metric of a scrape.
var targetLabels = []string{"instance", "job", "namespace", "pod"}

// row is a line of the table in docs/operations/metrics.md.
var row = regexp.MustCompile("^\\| `([a-z_]+)` \\| ([a-z]+) \\| (.*?) \\| (.*?) \\| ")

// ReadCatalog takes Hub's metrics from the table in the documentation, which a test of the binary hub
// holds to what is served, and those of Go, of the process and of the scrape from the libraries.
func ReadCatalog(page string) (Catalog, error) {
	c, err := processMetrics()
	if err != nil {
		return nil, err
	}
	c["up"] = Metric{Type: "gauge", Services: services}
	file, err := os.Open(page)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		cells := row.FindStringSubmatch(lines.Text())
		if cells == nil {
			continue
		}
		c[cells[1]] = Metric{Type: cells[2], Labels: words(cells[3]), Services: binaries(cells[4])}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", page, err)
	}
	return c, nil
}

// words splits a cell of a table.
func words(cell string) []string {
	return strings.FieldsFunc(cell, func(r rune) bool { return r == ',' || r == ' ' || r == '`' })
}

// binaries are those that a cell names, where all and hubs stand for several.
func binaries(cell string) []string {
	var names []string
	for _, word := range words(cell) {
		switch word {
		case "all":
			names = append(names, services...)
		case "hubs":
			names = append(names, shape.Hubs()...)
		default:
			names = append(names, word)
		}
	}
	return names
}

// processMetrics asks the client library that Hub's binaries use.
func processMetrics() (Catalog, error) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	families, err := registry.Gather()
	if err != nil {
		return nil, fmt.Errorf("gather metrics of the process: %w", err)
	}
	c := Catalog{}
	for _, f := range families {
		m := Metric{Type: strings.ToLower(f.GetType().String()), Services: services}
		for _, pair := range f.GetMetric()[0].GetLabel() {
			m.Labels = append(m.Labels, pair.GetName())
		}
		if m.Type == "summary" {
			m.Labels = append(m.Labels, "quantile")
		}
		c[f.GetName()] = m
	}
	return c, nil
}

// series finds the metric that a name in an expression belongs to, with the labels that the series has
// besides those of the target. The parts of a histogram and of a summary are counters.
func (c Catalog) series(name string) (m Metric, found bool) {
	if m, found = c[name]; found {
		return m, m.Type != "histogram"
	}
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		of, is := strings.CutSuffix(name, suffix)
		if m, found = c[of]; !is || !found || m.Type != "histogram" && m.Type != "summary" {
			continue
		}
		m.Type = "counter"
		if suffix == "_bucket" {
			m.Labels = append(slices.Clone(m.Labels), "le")
		}
		return m, true
	}
	return Metric{}, false
}

// Names lists the metrics.
func (c Catalog) Names() []string { return slices.Sorted(maps.Keys(c)) }
