package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"example.com/hub/test/bench/internal/measure"
)

// Report is a run.
type Report struct {
	// Began is when the run began, Took how long it was.
	Began time.Time     `json:"began"`
	Took  time.Duration `json:"-"`
	// Machine describes where it ran.
	Machine Machine `json:"machine"`
	// Rounds is the number of rounds of each side.
	Rounds int `json:"rounds"`
	// Short marks a smoke run, whose figures mean nothing.
	Short bool `json:"short"`
	// Rows are in the order of the scenarios.
	Rows []Row `json:"-"`
}

// Machine is what absolute figures depend on.
type Machine struct {
	CPUs      int     `json:"cpus"`
	Model     string  `json:"model"`
	MemoryGiB float64 `json:"memory_gib"`
	Go        string  `json:"go"`
	Postgres  string  `json:"postgres"`
	Redis     string  `json:"redis"`
	// FsyncMicros is the time of writing 8 KiB and an fsync, the median of a hundred.
	FsyncMicros float64 `json:"fsync_us"`
	// LoadBefore and LoadAfter are the load averages of one minute around the run.
	LoadBefore float64 `json:"load_before"`
	LoadAfter  float64 `json:"load_after"`
}

// String is one line.
func (m Machine) String() string {
	return fmt.Sprintf("%d x %s, %.0f GiB, %s, PostgreSQL %s, Redis %s, fsync of 8 KiB %.0f us, load %.1f before and %.1f after",
		m.CPUs, m.Model, m.MemoryGiB, m.Go, m.Postgres, m.Redis, m.FsyncMicros, m.LoadBefore, m.LoadAfter)
}

// Failures is the number of rows without figures.
func (r Report) Failures() int {
	n := 0
	for _, row := range r.Rows {
		if row.Failure != "" {
			n++
		}
	}
	return n
}

var header = []string{"#", "Scenario", "Unit", "Hub", "Baseline", "Ratio", "Target (goal)", "Holds", "CPU, us/request", "Memory, MiB"}

// cells are the columns of a row, as in header.
func (r Row) cells() []string {
	if r.Failure != "" {
		return []string{r.ID, "failed: " + strings.Join(strings.Fields(r.Failure), " "), "", "", "", "", "", "no", "", ""}
	}
	c := []string{
		r.ID, r.Scenario, r.Unit, spread(r.Hub.Median(), r.Hub), "", "", r.Target.String(), "no",
		pair(r.HubUse.CPU, r.BaselineUse.CPU), pair(r.HubUse.Memory, r.BaselineUse.Memory),
	}
	if len(r.Baseline) > 0 {
		c[4], c[5] = spread(r.Baseline.Median(), r.Baseline), spread(r.RatioValue(), r.Ratios())
	}
	if r.Holds() {
		c[7] = "yes"
	}
	return c
}

// pair writes the medians of Hub and of the baseline.
func pair(hub, baseline measure.Samples) string {
	switch {
	case len(hub) == 0:
		return ""
	case len(baseline) == 0:
		return number(hub.Median())
	default:
		return number(hub.Median()) + " / " + number(baseline.Median())
	}
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
	fmt.Fprintln(w)
	r.footnotes(w, "")
	return nil
}

// Markdown writes the report for the documentation. A target that was missed stands out.
func (r Report) Markdown(w io.Writer) error {
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(header, " | "), strings.Repeat("---|", len(header)))
	for _, row := range r.Rows {
		cells := row.cells()
		if cells[7] == "no" {
			cells[7] = "**no**"
		}
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(c, "|", `\|`)
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
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
	fmt.Fprintf(w, "%sMachine: %s.\n", bullet, r.Machine)
	fmt.Fprintf(w, "%sRun: %s, for %v.\n", bullet, r.Began.UTC().Format("2 January 2006, 15:04 UTC"), r.Took.Round(time.Second))
	if r.Short {
		fmt.Fprintf(w, "%sA smoke run with reduced sizes: the figures mean nothing.\n", bullet)
		return
	}
	fmt.Fprintf(w, "%sMedians of %d rounds, Hub and baseline in turn, with the smallest and the largest round. "+
		"CPU and memory are of the server processes, Hub / baseline, without PostgreSQL, Redis and the clients.\n", bullet, r.Rounds)
}
