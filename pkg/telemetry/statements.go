package telemetry

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// statementMark begins a statement that has a name, which ends with the line.
const statementMark = "-- name: "

// StatementName gives the name of a database statement, which is its first line, "-- name: insert_push"
// for example, or Other.
func StatementName(sql string) string {
	if rest, ok := strings.CutPrefix(sql, statementMark); ok {
		if name, _, ok := strings.Cut(rest, "\n"); ok {
			return name
		}
	}
	return Other
}

// Statements measure database statements by their names, which are Hub's own. A nil *Statements measures
// none.
type Statements struct {
	duration *prometheus.HistogramVec
	failures *prometheus.CounterVec
}

// Statements adds the metrics of database statements.
func (r *Registry) Statements() *Statements {
	s := &Statements{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "hub_database_statement_duration_seconds",
			Help: "Time of database statements from when they were sent until their last row was read.", Buckets: buckets,
		}, []string{"statement"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hub_database_statement_failures_total",
			Help: "Database statements that failed; those whose caller left do not count.",
		}, []string{"statement"}),
	}
	r.prometheus.MustRegister(s.duration, s.failures)
	s.duration.WithLabelValues(Other)
	s.failures.WithLabelValues(Other)
	return s
}

// Done measures a statement.
func (s *Statements) Done(name string, failed bool, took time.Duration) {
	if s == nil {
		return
	}
	s.duration.WithLabelValues(name).Observe(took.Seconds())
	if failed {
		s.failures.WithLabelValues(name).Inc()
	}
}
