package report

import (
	"encoding/json"
	"io"

	"example.com/hub/test/bench/internal/measure"
)

// figure is a median with its rounds.
type figure struct {
	Median float64   `json:"median"`
	Min    float64   `json:"min"`
	Max    float64   `json:"max"`
	Rounds []float64 `json:"rounds"`
}

// figureOf gives nil without values, which JSON cannot tell from others.
func figureOf(median float64, of measure.Samples) *figure {
	if len(of) == 0 {
		return nil
	}
	low, high := of.Range()
	return &figure{median, low, high, of}
}

// row is a row for machines.
type row struct {
	ID             string  `json:"id"`
	Scenario       string  `json:"scenario,omitempty"`
	Unit           string  `json:"unit,omitempty"`
	Hub            *figure `json:"hub,omitempty"`
	Baseline       *figure `json:"baseline,omitempty"`
	Ratio          *figure `json:"ratio,omitempty"`
	Target         string  `json:"target,omitempty"`
	Holds          bool    `json:"holds"`
	HubCPU         *figure `json:"hub_cpu_us,omitempty"`
	BaselineCPU    *figure `json:"baseline_cpu_us,omitempty"`
	HubMemory      *figure `json:"hub_memory_mib,omitempty"`
	BaselineMemory *figure `json:"baseline_memory_mib,omitempty"`
	Note           string  `json:"note,omitempty"`
	Failure        string  `json:"failure,omitempty"`
}

func rowOf(r Row) row {
	if r.Failure != "" {
		return row{ID: r.ID, Failure: r.Failure}
	}
	plain := func(s measure.Samples) *figure { return figureOf(s.Median(), s) }
	return row{
		ID: r.ID, Scenario: r.Scenario, Unit: r.Unit, Target: r.Target.String(), Holds: r.Holds(), Note: r.Note,
		Hub: plain(r.Hub), Baseline: plain(r.Baseline), Ratio: figureOf(r.RatioValue(), r.Ratios()),
		HubCPU: plain(r.HubUse.CPU), BaselineCPU: plain(r.BaselineUse.CPU),
		HubMemory: plain(r.HubUse.Memory), BaselineMemory: plain(r.BaselineUse.Memory),
	}
}

// JSON writes the report for machines.
func (r Report) JSON(w io.Writer) error {
	rows := make([]row, len(r.Rows))
	for i := range r.Rows {
		rows[i] = rowOf(r.Rows[i])
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Report
		Seconds float64 `json:"seconds"`
		Rows    []row   `json:"rows"`
	}{r, r.Took.Seconds(), rows})
}
