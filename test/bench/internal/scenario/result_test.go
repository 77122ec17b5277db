package scenario

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/test/bench/internal/measure"
	"example.com/hub/test/bench/internal/plot"
	"example.com/hub/test/bench/internal/report"
)

// outcomes are the ids of rows with what became of them.
func outcomes(rows []report.Row) map[string]string {
	all := map[string]string{}
	for _, row := range rows {
		all[row.ID] = "measured"
		if row.Failure != "" {
			all[row.ID] = row.Failure
		}
	}
	return all
}

func quiet(string, ...any) {}

func measured(ids ...string) func() ([]report.Row, []plot.Chart, error) {
	return func() ([]report.Row, []plot.Chart, error) {
		var rows []report.Row
		for _, id := range ids {
			rows = append(rows, report.Row{ID: id, Hub: measure.Samples{1}})
		}
		return rows, nil, nil
	}
}

func TestPartThatFailsLeavesTheOthers(t *testing.T) {
	r := Result{env: Env{Progress: quiet}}
	r.part(t.Context(), "9a 9b", nil, func() ([]report.Row, []plot.Chart, error) {
		rows, _, _ := measured("9a")()
		return rows, nil, errors.New("no route")
	})
	r.part(t.Context(), "10a 10b", nil, measured("10a", "10b"))
	r.fail([]string{"9a", "9b", "10a", "10b", "11"}, errors.New("nobody measured it"))
	want := map[string]string{"9a": "no route", "9b": "no route", "10a": "measured", "10b": "measured", "11": "nobody measured it"}
	if diff := cmp.Diff(want, outcomes(r.Rows)); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyWhatWasAskedForIsMeasuredOrFails(t *testing.T) {
	r := Result{env: Env{Progress: quiet, Only: []int{10}}}
	r.part(t.Context(), "9a", nil, measured("9a"))
	r.part(t.Context(), "10a", nil, measured("10a"))
	r.fail([]string{"9a", "10a", "10b"}, errors.New("nobody measured it"))
	if diff := cmp.Diff(map[string]string{"10a": "measured", "10b": "nobody measured it"}, outcomes(r.Rows)); diff != "" {
		t.Error(diff)
	}
}

func TestRunWithoutBinariesFailsEveryRow(t *testing.T) {
	result := Run(t.Context(), Env{Bin: t.TempDir(), Rounds: 1, Short: true, Only: []int{15}, Progress: quiet})
	var ids []string
	for _, row := range result.Rows {
		ids = append(ids, row.ID)
		if row.Failure == "" {
			t.Errorf("row %s was measured", row.ID)
		}
	}
	if diff := cmp.Diff([]string{"15a", "15b", "15c", "15d"}, ids); diff != "" {
		t.Error(diff)
	}
}
