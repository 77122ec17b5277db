package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/hub/bench/internal/measure"
	"example.com/hub/bench/internal/report"
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

func sample() report.Report {
	return report.Report{
		Rounds: 3,
		Rows: []report.Row{
			{
				ID: "9a", Scenario: "list", Unit: "requests/s", Hub: measure.Samples{500, 700, 600}, Baseline: measure.Samples{1000, 1000, 1000},
				Target: report.RatioAtLeast(0.75), HubCPU: 200, BaselineCPU: 100,
			},
			{ID: "15b", Scenario: "memory", Unit: "MiB", Hub: measure.Samples{21.06}, Target: report.AtMost(40), Note: "at rest"},
		},
		Missed: []string{"streams: no ports"},
	}
}

func TestMarkdownShowsEveryColumn(t *testing.T) {
	var b strings.Builder
	if err := sample().Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"| 9a | list | requests/s | 600 | 1000 | 0.6 | 0.5 - 0.7 | ≥ 0.75x | no | 200 / 100 |  |",
		"| 15b | memory | MiB | 21.1 |  |  |  | ≤ 40 | yes |  |  |",
		"- 15b: at rest",
		"- not measured: streams: no ports",
	} {
		if !strings.Contains(b.String(), line+"\n") {
			t.Errorf("no line %q in\n%s", line, b.String())
		}
	}
}

func TestJSONIsForMachines(t *testing.T) {
	var b strings.Builder
	if err := sample().JSON(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Rounds int
		Missed []string
		Rows   []struct {
			ID              string
			Hub             float64
			Baseline, Ratio *float64
			Holds           bool
			HubRounds       []float64 `json:"hub_rounds"`
		}
	}
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	if got.Rounds != 3 || len(got.Missed) != 1 || len(got.Rows) != 2 {
		t.Fatalf("got %+v", got)
	}
	list, memory := got.Rows[0], got.Rows[1]
	if list.Ratio == nil || *list.Ratio != 0.6 || list.Holds || len(list.HubRounds) != 3 {
		t.Errorf("list: %+v", list)
	}
	if memory.Ratio != nil || memory.Baseline != nil || !memory.Holds {
		t.Errorf("memory: %+v", memory)
	}
}
