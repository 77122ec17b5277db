// Package report is what a run of the suite says: rows with their targets, as a table, as Markdown or
// as JSON.
package report

import (
	"fmt"
	"math"

	"example.com/hub/bench/internal/measure"
)

// Row is one line of the report.
type Row struct {
	// ID is the number of the scenario with a letter where it has several lines: 9a.
	ID string
	// Scenario says what was done, Unit what is counted.
	Scenario, Unit string
	// Hub and Baseline have one value per round. Baseline is empty where the target is absolute.
	Hub, Baseline measure.Samples
	// Target is what Hub must reach.
	Target Target
	// HubCPU and BaselineCPU are microseconds of the server processes per request, without the
	// database; 0 where nothing was requested.
	HubCPU, BaselineCPU float64
	// Memory is the resident memory of Hub's process in MiB; 0 where it does not matter.
	Memory float64
	// Note says what a reader must know to understand the figures.
	Note string
}

// Target is a limit.
type Target struct {
	// Ratio says that the limit is on Hub's figure divided by the baseline's, not on Hub's own.
	Ratio bool
	// Most says that the limit must not be passed; otherwise it must be reached.
	Most bool
	// Limit is the bound, in the row's unit when it is no ratio.
	Limit float64
}

// RatioAtLeast is for figures of which more is better.
func RatioAtLeast(limit float64) Target { return Target{Ratio: true, Limit: limit} }

// RatioAtMost is for figures of which less is better.
func RatioAtMost(limit float64) Target { return Target{Ratio: true, Most: true, Limit: limit} }

// AtLeast bounds Hub's own figure.
func AtLeast(limit float64) Target { return Target{Limit: limit} }

// AtMost bounds Hub's own figure.
func AtMost(limit float64) Target { return Target{Most: true, Limit: limit} }

// String writes the target as the table shows it.
func (t Target) String() string {
	sign := "≥ "
	if t.Most {
		sign = "≤ "
	}
	if t.Ratio {
		return sign + number(t.Limit) + "x"
	}
	return sign + number(t.Limit)
}

// RatioValue is Hub's median divided by the baseline's; NaN without a baseline.
func (r Row) RatioValue() float64 {
	if len(r.Baseline) == 0 {
		return math.NaN()
	}
	return r.Hub.Median() / r.Baseline.Median()
}

// Holds tells whether the target is met.
func (r Row) Holds() bool {
	value := r.Hub.Median()
	if r.Target.Ratio {
		value = r.RatioValue()
	}
	if r.Target.Most {
		return value <= r.Target.Limit
	}
	return value >= r.Target.Limit
}

// spread is the smallest and the largest ratio of one round.
func (r Row) spread() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range min(len(r.Hub), len(r.Baseline)) {
		ratio := r.Hub[i] / r.Baseline[i]
		low, high = min(low, ratio), max(high, ratio)
	}
	return low, high
}

// number writes three significant digits, without an exponent.
func number(v float64) string {
	switch size := math.Abs(v); {
	case math.IsNaN(v):
		return "-"
	case size >= 100_000:
		return fmt.Sprintf("%.0f k", v/1000)
	case size >= 100 || v == math.Trunc(v):
		return fmt.Sprintf("%.0f", v)
	case size >= 10:
		return fmt.Sprintf("%.1f", v)
	case size >= 1:
		return fmt.Sprintf("%.2f", v)
	default:
		return fmt.Sprintf("%.3g", v)
	}
}
