package report_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/test/bench/internal/measure"
	"example.com/hub/test/bench/internal/report"
	"example.com/hub/test/bench/internal/share"
)

func TestHolds(t *testing.T) {
	for _, tt := range []struct {
		name          string
		hub, baseline measure.Samples
		target        report.Target
		want          bool
	}{
		{"ratio reached", measure.Samples{8, 9, 1}, measure.Samples{10, 10, 10}, report.RatioAtLeast(0.8), true},
		{"ratio missed", measure.Samples{7.9}, measure.Samples{10}, report.RatioAtLeast(0.8), false},
		{"ratio not passed", measure.Samples{14}, measure.Samples{10}, report.RatioAtMost(1.4), true},
		{"ratio passed", measure.Samples{15}, measure.Samples{10}, report.RatioAtMost(1.4), false},
		{"no ratio without a baseline", measure.Samples{15}, nil, report.RatioAtMost(100), false},
		{"bound kept", measure.Samples{220}, nil, report.AtMost(220), true},
		{"bound passed", measure.Samples{221}, measure.Samples{1000}, report.AtMost(220), false},
		{"bound reached", measure.Samples{5}, nil, report.AtLeast(5), true},
		{"bound missed", measure.Samples{4}, nil, report.AtLeast(5), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			row := report.Row{Hub: tt.hub, Baseline: tt.baseline, Target: tt.target}
			if got := row.Holds(); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestFailedRowHoldsNothing(t *testing.T) {
	row := report.Failed("9a", errors.New("no ports"))
	row.Target = report.AtMost(10)
	if row.Holds() {
		t.Error("it holds")
	}
}

func TestCompareOrdersByNumber(t *testing.T) {
	rows := []report.Row{{ID: "10a"}, {ID: "plot"}, {ID: "9b"}, {ID: "9a"}, {ID: "2"}}
	slices.SortFunc(rows, report.Compare)
	var got []string
	for _, r := range rows {
		got = append(got, r.ID)
	}
	if diff := cmp.Diff([]string{"2", "9a", "9b", "10a", "plot"}, got); diff != "" {
		t.Error(diff)
	}
}

func sample() report.Report {
	return report.Report{
		Rounds: 3, Began: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), Took: 90 * time.Second,
		Machine: report.Machine{CPUs: 2, Model: "Z80", Postgres: "15.1", Redis: "7.0"},
		Rows: []report.Row{
			{
				ID: "9a", Scenario: "list", Unit: "requests/s", Hub: measure.Samples{500, 700, 600}, Baseline: measure.Samples{1000, 1000, 1000},
				Target:      report.RatioAtLeast(0.75).WithGoal(0.9),
				HubUse:      report.Use{CPU: measure.Samples{200}, Memory: measure.Samples{30.12}},
				BaselineUse: report.Use{CPU: measure.Samples{100}},
			},
			{ID: "15b", Scenario: "memory | idle", Unit: "MiB", Hub: measure.Samples{21.06}, Target: report.AtMost(40), Note: "at rest"},
			report.Failed("16", errors.New("no ports\nleft")),
		},
	}
}

func TestMarkdownShowsEveryColumn(t *testing.T) {
	var b strings.Builder
	if err := sample().Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"| 9a | list | requests/s | 600 (500 to 700) | 1,000 (1,000 to 1,000) | 0.6 (0.5 to 0.7) | ≥ 0.75x (0.9) | **no** | 200 / 100 | 30.1 |",
		`| 15b | memory \| idle | MiB | 21.1 |  |  | ≤ 40 | yes |  |  |`,
		"| 16 | failed: no ports left |  |  |  |  |  | **no** |  |  |",
		"- 15b: at rest",
		"- Machine: 2 x Z80, 0 GiB, , PostgreSQL 15.1, Redis 7.0, fsync of 8 KiB 0 us, load 0.0 before and 0.0 after.",
		"- Run: 2 January 2030, 03:04 UTC, for 1m30s.",
	} {
		if !strings.Contains(b.String(), line+"\n") {
			t.Errorf("no line %q in\n%s", line, b.String())
		}
	}
}

func TestFloorsAddUp(t *testing.T) {
	one := func(v float64) measure.Samples { return measure.Samples{v} }
	use := func(all, cpu, postgres float64, shares share.Samples) report.Use {
		return report.Use{CPU: one(cpu), All: one(all), Postgres: one(postgres), Redis: one(0), Clients: one(10), Shares: shares}
	}
	r := sample()
	r.Rows = append(r.Rows, report.Row{
		ID: "10a", Scenario: "upsert, 16 at once", Hub: one(1),
		HubUse:      use(500, 200, 100, share.Samples{share.System: 3, share.GRPC: 1}),
		BaselineUse: use(300, 80, 120, share.Samples{share.System: 1, share.HTTP: 1}),
	})
	var b strings.Builder
	if err := r.Floors(&b); err != nil {
		t.Fatal(err)
	}
	want := `| us/request | 10a: upsert |
|---|---|
| **all processors** | +200 (500 / 300) |
| system calls | +110 (150 / 40) |
| HTTP | -40 (0 / 40) |
| gRPC | +50 (50 / 0) |
| PostgreSQL | -20 (100 / 120) |
| clients | +0 (10 / 10) |
| idle, and what else ran | +100 (190 / 90) |

- Run: 2 January 2030, 03:04 UTC, for 1m30s, with profiles, which cost some speed; load 0.0 before and 0.0 after.
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestNumbersHaveThreeDigits(t *testing.T) {
	for value, want := range map[float64]string{
		0.01234: "0.0123", 1: "1", 9.999: "10", 12.34: "12.3", 999.6: "1,000", 12_345: "12,300", 1_499_999: "1,500,000", 100: "100",
	} {
		r := report.Report{Rows: []report.Row{{ID: "1", Hub: measure.Samples{value}, Target: report.AtLeast(7)}}}
		var b strings.Builder
		if err := r.Markdown(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "| 1 |  |  | "+want+" |") {
			t.Errorf("no %s for %v in\n%s", want, value, b.String())
		}
	}
}

func TestJSONIsForMachines(t *testing.T) {
	var b strings.Builder
	if err := sample().JSON(&b); err != nil {
		t.Fatal(err)
	}
	type figure struct {
		Median, Min, Max float64
		Rounds           []float64
	}
	type row struct {
		ID                   string
		Hub, Baseline, Ratio *figure
		Holds                bool
		CPU                  *figure `json:"hub_cpu_us"`
		Memory               *figure `json:"hub_memory_mib"`
		Failure              string
	}
	var got struct {
		Rounds  int
		Seconds float64
		Rows    []row
	}
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	if got.Rounds != 3 || got.Seconds != 90 {
		t.Errorf("got %+v", got)
	}
	one := func(v float64) *figure { return &figure{v, v, v, []float64{v}} }
	want := []row{
		{
			ID: "9a", Hub: &figure{600, 500, 700, []float64{500, 700, 600}}, Baseline: &figure{1000, 1000, 1000, []float64{1000, 1000, 1000}},
			Ratio: &figure{0.6, 0.5, 0.7, []float64{0.5, 0.7, 0.6}}, CPU: one(200), Memory: one(30.12),
		},
		{ID: "15b", Hub: one(21.06), Holds: true},
		{ID: "16", Failure: "no ports\nleft"},
	}
	if diff := cmp.Diff(want, got.Rows); diff != "" {
		t.Error(diff)
	}
}

func TestEmbedReplacesWhatStandsBetweenTheMarkers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# Title\n<!-- a: begin -->\nold\n<!-- a: end -->\nbehind\n")
	for range 2 {
		if err := report.Embed(file, "a", "| new |\n\n"); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(file)
		if want := "# Title\n<!-- a: begin -->\n| new |\n<!-- a: end -->\nbehind\n"; err != nil || string(got) != want {
			t.Errorf("got %q, %v", got, err)
		}
	}
	write("# Title\n<!-- a: begin -->\nno end\n")
	if err := report.Embed(file, "a", "new"); err == nil {
		t.Error("a page without the end marker was changed")
	}
}
