// Package report is what a run of the suite says: rows with their targets, as a table, as Markdown or
// as JSON.
package report

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"example.com/hub/test/bench/internal/measure"
	"example.com/hub/test/bench/internal/share"
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
	// HubUse and BaselineUse are what the server processes used; empty where that says nothing.
	HubUse, BaselineUse Use
	// Note says what a reader must know to understand the figures.
	Note string
	// Failure says why there are no figures; empty when there are.
	Failure string
}

// Use is what the server processes of one side used, without the database, Redis and the clients.
type Use struct {
	// CPU is microseconds of processor time for each request, one value per round.
	CPU measure.Samples
	// Memory is the resident memory in MiB, one value per round.
	Memory measure.Samples
	// All is microseconds of all processors for each request, idle or not, one value per round. Postgres,
	// Redis and Clients are what these processes had of it.
	All, Postgres, Redis, Clients measure.Samples
	// Shares are what CPU went into; none without profiles.
	Shares share.Samples
}

// Failed is the row of a scenario that could not be measured.
func Failed(id string, err error) Row { return Row{ID: id, Failure: err.Error()} }

// Target is a limit that must be kept, and a goal beyond it.
type Target struct {
	// Ratio says that the limit is on Hub's figure divided by the baseline's, not on Hub's own.
	Ratio bool
	// Most says that the limit must not be passed; otherwise it must be reached.
	Most bool
	// Limit is the bound, in the row's unit when it is no ratio.
	Limit float64
	// Goal is a better limit, which is wished for; 0 when there is none.
	Goal float64
}

// RatioAtLeast is for figures of which more is better.
func RatioAtLeast(limit float64) Target { return Target{Ratio: true, Limit: limit} }

// RatioAtMost is for figures of which less is better.
func RatioAtMost(limit float64) Target { return Target{Ratio: true, Most: true, Limit: limit} }

// AtLeast bounds Hub's own figure.
func AtLeast(limit float64) Target { return Target{Limit: limit} }

// AtMost bounds Hub's own figure.
func AtMost(limit float64) Target { return Target{Most: true, Limit: limit} }

// WithGoal adds a goal.
func (t Target) WithGoal(goal float64) Target {
	t.Goal = goal
	return t
}

// String writes the target as the table shows it, with its goal in brackets.
func (t Target) String() string {
	text := "≥ " + number(t.Limit)
	if t.Most {
		text = "≤ " + number(t.Limit)
	}
	if t.Ratio {
		text += "x"
	}
	if t.Goal != 0 {
		text += " (" + number(t.Goal) + ")"
	}
	return text
}

// RatioValue is Hub's median divided by the baseline's; NaN without a baseline.
func (r Row) RatioValue() float64 {
	if len(r.Baseline) == 0 {
		return math.NaN()
	}
	return r.Hub.Median() / r.Baseline.Median()
}

// Holds tells whether the target is met. What was not measured holds nothing.
func (r Row) Holds() bool {
	if r.Failure != "" {
		return false
	}
	value := r.Hub.Median()
	if r.Target.Ratio {
		value = r.RatioValue()
	}
	if r.Target.Most {
		return value <= r.Target.Limit
	}
	return value >= r.Target.Limit
}

// Ratios are those of the single rounds.
func (r Row) Ratios() measure.Samples {
	ratios := make(measure.Samples, min(len(r.Hub), len(r.Baseline)))
	for i := range ratios {
		ratios[i] = r.Hub[i] / r.Baseline[i]
	}
	return ratios
}

// Compare orders rows as the scenarios are numbered: 2, 9a, 9b, 10a. What has no number comes last.
func Compare(a, b Row) int {
	number := func(id string) int {
		n, err := strconv.Atoi(strings.TrimRight(id, "abcdefghijklmnopqrstuvwxyz"))
		if err != nil {
			return math.MaxInt
		}
		return n
	}
	return cmp.Or(cmp.Compare(number(a.ID), number(b.ID)), strings.Compare(a.ID, b.ID))
}

// number writes three significant digits, without an exponent: 12,300 for 12,345.
func number(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	size := math.Abs(v)
	if size < 1000 {
		text := strconv.FormatFloat(v, 'g', 3, 64)
		if rounded, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(rounded) < 1000 {
			return strconv.FormatFloat(rounded, 'f', -1, 64)
		}
	}
	step := math.Pow(10, math.Floor(math.Log10(size))-2)
	digits := strconv.FormatFloat(math.Round(v/step)*step, 'f', 0, 64)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// spread writes the median with the smallest and the largest value behind it, where there are several.
func spread(median float64, of measure.Samples) string {
	if len(of) < 2 {
		return number(median)
	}
	low, high := of.Range()
	return number(median) + " (" + number(low) + " to " + number(high) + ")"
}
