package telemetry

import "github.com/prometheus/client_golang/prometheus"

// Metric is one number of a struct S.
type Metric[S any] struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(S) float64
}

// number is what the fields of such structs are.
type number interface {
	~int | ~int32 | ~int64 | ~uint64 | ~float64
}

// Counter is a number that only grows, until the process ends. The labels are pairs of a name and a
// value; metrics of the same name must have the same help and the same names.
func Counter[S any, N number](name, help string, value func(S) N, labels ...string) Metric[S] {
	return metric(prometheus.CounterValue, name, help, value, labels)
}

// Gauge is a number that rises and falls. The labels are as those of Counter.
func Gauge[S any, N number](name, help string, value func(S) N, labels ...string) Metric[S] {
	return metric(prometheus.GaugeValue, name, help, value, labels)
}

func metric[S any, N number](kind prometheus.ValueType, name, help string, value func(S) N, pairs []string) Metric[S] {
	labels := prometheus.Labels{}
	for i := 0; i < len(pairs); i += 2 {
		labels[pairs[i]] = pairs[i+1]
	}
	return Metric[S]{
		desc:  prometheus.NewDesc(name, help, nil, labels),
		kind:  kind,
		value: func(s S) float64 { return float64(value(s)) },
	}
}

// Flag is 1 for true and 0 for false.
func Flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Read adds the metrics of a struct, which read gives once for each scrape.
func Read[S any](r *Registry, read func() S, metrics ...Metric[S]) {
	r.prometheus.MustRegister(&reader[S]{read, metrics})
}

// reader is a prometheus.Collector.
type reader[S any] struct {
	read    func() S
	metrics []Metric[S]
}

// Describe implements prometheus.Collector.
func (r *reader[S]) Describe(out chan<- *prometheus.Desc) {
	for _, m := range r.metrics {
		out <- m.desc
	}
}

// Collect implements prometheus.Collector.
func (r *reader[S]) Collect(out chan<- prometheus.Metric) {
	s := r.read()
	for _, m := range r.metrics {
		out <- prometheus.MustNewConstMetric(m.desc, m.kind, m.value(s))
	}
}
