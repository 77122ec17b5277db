package telemetry

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc/codes"
)

// Other is the name of whatever is no known endpoint, so that callers cannot make names up.
const Other = "other"

// buckets reach from an answer out of memory to the longest deadline of a call.
var buckets = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}

// Requests count requests by endpoint and code, and measure how long they take. A nil *Requests does
// neither.
type Requests struct {
	endpoints map[string]*Endpoint
	other     *Endpoint
}

// Endpoint is one method or route of Requests.
type Endpoint struct {
	kind *kind
	// total and duration are those of the endpoint alone.
	total    *prometheus.CounterVec
	duration prometheus.Observer
	// succeeded counts nearly all requests, and so is found beforehand.
	succeeded prometheus.Counter
}

// kind is what the endpoints of one server have in common.
type kind struct {
	name, label    string
	total, seconds string // help texts
	success        int
	text           func(code int) string
}

// GRPCRequests adds the metrics of a gRPC server that has these methods, by their full names.
func (r *Registry) GRPCRequests(methods []string) *Requests {
	return r.requests(&kind{
		name: "hub_grpc_request", label: "method",
		total:   "Answered gRPC calls; health and reflection do not count.",
		seconds: "Time of gRPC calls in the server.",
		success: int(codes.OK),
		text:    func(code int) string { return codes.Code(code).String() },
	}, methods)
}

// HTTPRequests adds the metrics of an HTTP server that has these routes.
func (r *Registry) HTTPRequests(routes []string) *Requests {
	return r.requests(&kind{
		name: "hub_http_request", label: "route",
		total:   "Answered HTTP requests.",
		seconds: "Time from the header of HTTP requests to their answer; for streams, until they are open.",
		success: http.StatusOK,
		text:    strconv.Itoa,
	}, routes)
}

func (r *Registry) requests(k *kind, names []string) *Requests {
	total := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: k.name + "s_total", Help: k.total,
	}, []string{k.label, "code"})
	duration := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: k.name + "_duration_seconds", Help: k.seconds, Buckets: buckets,
	}, []string{k.label})
	r.prometheus.MustRegister(total, duration)

	endpoint := func(name string) *Endpoint {
		own := total.MustCurryWith(prometheus.Labels{k.label: name})
		return &Endpoint{
			kind:      k,
			total:     own,
			duration:  duration.WithLabelValues(name),
			succeeded: own.WithLabelValues(k.text(k.success)),
		}
	}
	q := &Requests{endpoints: make(map[string]*Endpoint, len(names)), other: endpoint(Other)}
	for _, name := range names {
		q.endpoints[name] = endpoint(name)
	}
	return q
}

// Of finds an endpoint by its name; a name that is not known is Other.
func (q *Requests) Of(name string) *Endpoint {
	if q == nil {
		return nil
	}
	if e, ok := q.endpoints[name]; ok {
		return e
	}
	return q.other
}

// Done counts a request that was answered with the code. A nil *Endpoint counts nothing.
func (e *Endpoint) Done(code int, took time.Duration) {
	if e == nil {
		return
	}
	e.duration.Observe(took.Seconds())
	if code == e.kind.success {
		e.succeeded.Inc()
		return
	}
	e.total.WithLabelValues(e.kind.text(code)).Inc()
}
