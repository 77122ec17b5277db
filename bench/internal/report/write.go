package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Report is a run.
type Report struct {
	// Machine describes where it ran.
	Machine Machine `json:"machine"`
	// Rounds is the number of rounds of each side.
	Rounds int `json:"rounds"`
	// Short marks a smoke run, whose figures mean nothing.
	Short bool `json:"short"`
	// Rows are in the order of the scenarios.
	Rows []Row `json:"-"`
	// Missed says which groups of scenarios could not be measured, and why.
	Missed []string `json:"missed,omitempty"`
}

// Machine is what absolute figures depend on.
type Machine struct {
	CPUs      int     `json:"cpus"`
	Model     string  `json:"model"`
	MemoryGiB float64 `json:"memory_gib"`
	Go        string  `json:"go"`
	Postgres  string  `json:"postgres"`
	// FsyncMicros is the time of writing 8 KiB and an fsync, the median of a hundred.
	FsyncMicros float64 `json:"fsync_us"`
	// LoadBefore and LoadAfter are the load averages of one minute around the run.
	LoadBefore float64 `json:"load_before"`
	LoadAfter  float64 `json:"load_after"`
}

// String is one line.
func (m Machine) String() string {
	return fmt.Sprintf("%d x %s, %.0f GiB, %s, %s, fsync of 8 KiB %.0f us, load %.1f before and %.1f after",
		m.CPUs, m.Model, m.MemoryGiB, m.Go, m.Postgres, m.FsyncMicros, m.LoadBefore, m.LoadAfter)
}

var header = []string{"#", "scenario", "unit", "Hub", "baseline", "ratio", "rounds", "target", "holds", "CPU us/request", "MiB"}

// cells are the columns of a row, as in header.
func (r Row) cells() []string {
	c := []string{r.ID, r.Scenario, r.Unit, number(r.Hub.Median()), "", "", "", r.Target.String(), "no", "", ""}
	if len(r.Baseline) > 0 {
		low, high := r.spread()
		c[4], c[5], c[6] = number(r.Baseline.Median()), number(r.RatioValue()), number(low)+" - "+number(high)
	}
	if r.Holds() {
		c[8] = "yes"
	}
	if r.HubCPU > 0 {
		c[9] = number(r.HubCPU)
		if r.BaselineCPU > 0 {
			c[9] += " / " + number(r.BaselineCPU)
		}
	}
	if r.Memory > 0 {
		c[10] = number(r.Memory)
	}
	return c
}

// Table writes the report for people.
func (r Report) Table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(header, "\t"))
	for _, row := range r.Rows {
		fmt.Fprintln(t, strings.Join(row.cells(), "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	r.footnotes(w, "")
	return nil
}

// Markdown writes the report for the documentation.
func (r Report) Markdown(w io.Writer) error {
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(header, " | "), strings.Repeat("---|", len(header)))
	for _, row := range r.Rows {
		fmt.Fprintf(w, "| %s |\n", strings.Join(row.cells(), " | "))
	}
	fmt.Fprintln(w)
	r.footnotes(w, "- ")
	return nil
}

func (r Report) footnotes(w io.Writer, bullet string) {
	for _, row := range r.Rows {
		if row.Note != "" {
			fmt.Fprintf(w, "%s%s: %s\n", bullet, row.ID, row.Note)
		}
	}
	for _, missed := range r.Missed {
		fmt.Fprintf(w, "%snot measured: %s\n", bullet, missed)
	}
	fmt.Fprintf(w, "%smachine: %s\n", bullet, r.Machine)
	if r.Short {
		fmt.Fprintf(w, "%sa smoke run with reduced sizes: the figures mean nothing\n", bullet)
		return
	}
	fmt.Fprintf(w, "%smedians of %d rounds, Hub and baseline in turn; \"rounds\" are the smallest and the largest ratio of one round\n", bullet, r.Rounds)
}

// jsonRow is a row for machines.
type jsonRow struct {
	ID          string    `json:"id"`
	Scenario    string    `json:"scenario"`
	Unit        string    `json:"unit"`
	Hub         float64   `json:"hub"`
	Baseline    *float64  `json:"baseline"`
	Ratio       *float64  `json:"ratio"`
	Target      string    `json:"target"`
	Holds       bool      `json:"holds"`
	HubCPU      float64   `json:"hub_cpu_us,omitempty"`
	BaselineCPU float64   `json:"baseline_cpu_us,omitempty"`
	Memory      float64   `json:"memory_mib,omitempty"`
	HubRounds   []float64 `json:"hub_rounds"`
	BaseRounds  []float64 `json:"baseline_rounds,omitempty"`
	Note        string    `json:"note,omitempty"`
}

// JSON writes the report for machines.
func (r Report) JSON(w io.Writer) error {
	rows := make([]jsonRow, len(r.Rows))
	for i, row := range r.Rows {
		rows[i] = jsonRow{
			ID: row.ID, Scenario: row.Scenario, Unit: row.Unit, Hub: row.Hub.Median(),
			Target: row.Target.String(), Holds: row.Holds(), HubCPU: row.HubCPU, BaselineCPU: row.BaselineCPU,
			Memory: row.Memory, HubRounds: row.Hub, BaseRounds: row.Baseline, Note: row.Note,
		}
		if len(row.Baseline) > 0 {
			baseline, ratio := row.Baseline.Median(), row.RatioValue()
			rows[i].Baseline, rows[i].Ratio = &baseline, &ratio
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Report
		Rows []jsonRow `json:"rows"`
	}{r, rows})
}
