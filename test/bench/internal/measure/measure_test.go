package measure_test

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"example.com/hub/test/bench/internal/measure"
)

func TestQuantile(t *testing.T) {
	for _, tt := range []struct {
		name string
		of   measure.Samples
		q    float64
		want float64
	}{
		{"middle of three", measure.Samples{9, 1, 5}, 0.5, 5},
		{"between two", measure.Samples{1, 2}, 0.5, 1.5},
		{"one value", measure.Samples{7}, 0.99, 7},
		{"smallest", measure.Samples{3, 2, 4}, 0, 2},
		{"largest", measure.Samples{3, 2, 4}, 1, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.of.Quantile(tt.q); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
	if got := (measure.Samples{}).Median(); !math.IsNaN(got) {
		t.Errorf("without values: %v", got)
	}
}

func TestAlternateChangesWhoBegins(t *testing.T) {
	var order []string
	take := func(name string) func() (float64, error) {
		return func() (float64, error) {
			order = append(order, name)
			return float64(len(order)), nil
		}
	}
	hub, baseline, err := measure.Alternate(3, take("hub"), take("baseline"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"hub", "baseline", "baseline", "hub", "hub", "baseline"}
	if !slices.Equal(order, want) {
		t.Errorf("got %v, want %v", order, want)
	}
	if !slices.Equal(hub, measure.Samples{1, 4, 5}) || !slices.Equal(baseline, measure.Samples{2, 3, 6}) {
		t.Errorf("hub %v, baseline %v", hub, baseline)
	}
}

func TestAlternateEndsWithTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	calls := 0
	_, _, err := measure.Alternate(3,
		func() (float64, error) { calls++; return 1, nil },
		func() (float64, error) { calls++; return 0, broken })
	if !errors.Is(err, broken) || calls != 2 {
		t.Errorf("error %v after %d calls", err, calls)
	}
}

func TestInterleaveGivesTheMediansOfEach(t *testing.T) {
	var order string
	take := func(name string, values ...float64) func() (float64, error) {
		return func() (float64, error) {
			order += name
			value := values[0]
			values = values[1:]
			return value, nil
		}
	}
	got, err := measure.Interleave(3, take("a", 5, 1, 2), take("b", 7, 9, 8))
	if err != nil || !slices.Equal(got, []float64{2, 8}) || order != "abbaab" {
		t.Errorf("got %v in the order %s, %v", got, order, err)
	}
}

func TestProcess(t *testing.T) {
	before, err := measure.CPU(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for after := before; after == before; {
		if after, err = measure.CPU(os.Getpid()); err != nil {
			t.Fatal(err)
		}
	}
	usage, err := measure.Use(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if mib, err := usage.MiB(); err != nil || mib < 1 || mib > 1024 {
		t.Errorf("this test takes %v MiB, %v", mib, err)
	}
	if _, err := measure.CPU(0); err == nil {
		t.Error("there is a process 0")
	}
}

func TestFamilyCountsChildrenAndThoseThatEnded(t *testing.T) {
	child := exec.CommandContext(t.Context(), "sh", "-c", "while :; do :; done")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var used time.Duration
	for used == 0 {
		var err error
		if used, err = measure.CPU(child.Process.Pid); err != nil {
			t.Fatal(err)
		}
	}
	check := func(state string) {
		t.Helper()
		own, err := measure.CPU(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		if family, err := measure.Family(os.Getpid()); err != nil || family < own+used {
			t.Errorf("%s: %v of the family, of which %v are this process's and %v its child's, %v", state, family, own, used, err)
		}
	}
	check("while the child lives")
	_ = child.Process.Kill()
	_ = child.Wait()
	check("when it has ended")
}
