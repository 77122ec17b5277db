// Package telemetry is what a process tells Prometheus of itself. It is the only package that knows
// Prometheus: others count for themselves and expose a struct of numbers, or hand their requests to
// Requests.
//
// Labels have few values that Hub itself chooses. Users, ids and paths never become one.
package telemetry

import (
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/hub/pkg/version"
)

// Registry holds the metrics of one process.
type Registry struct {
	prometheus *prometheus.Registry
}

// New makes a registry with the metrics of the Go runtime, of the process and of the build. A metric
// that is added to it twice is a programming error, and does not return.
func New() *Registry {
	r := &Registry{prometheus: prometheus.NewRegistry()}
	build := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name:        "hub_build_info",
		Help:        "1, with the version of Hub and of Go as labels.",
		ConstLabels: prometheus.Labels{"version": version.Number(), "goversion": runtime.Version()},
	}, func() float64 { return 1 })
	r.prometheus.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		build,
	)
	return r
}

// Handler answers a scrape.
func (r *Registry) Handler() http.Handler {
	return promhttp.HandlerFor(r.prometheus, promhttp.HandlerOpts{})
}
