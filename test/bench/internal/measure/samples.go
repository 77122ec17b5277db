// Package measure takes figures: medians over rounds, and what processes use.
package measure

import (
	"context"
	"math"
	"slices"
	"time"

	"example.com/hub/pkg/lifecycle"
)

// Samples are the values of one figure, one per round.
type Samples []float64

// Median is the middle value, or NaN without values.
func (s Samples) Median() float64 { return s.Quantile(0.5) }

// Range is the smallest and the largest value, or NaN without values.
func (s Samples) Range() (low, high float64) { return s.Quantile(0), s.Quantile(1) }

// Quantile is the value that the part q of all values does not exceed, or NaN without values. Between
// two values it is in proportion.
func (s Samples) Quantile(q float64) float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(s))
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (sorted[high]-sorted[low])*(at-float64(low))
}

// Alternate takes a figure of both sides in every round. The side that begins changes, so that neither
// always finds the machine as the other left it.
func Alternate(rounds int, hub, baseline func() (float64, error)) (h, b Samples, err error) {
	take := func(into *Samples, from func() (float64, error)) error {
		value, err := from()
		*into = append(*into, value)
		return err
	}
	for round := range rounds {
		first, second := func() error { return take(&h, hub) }, func() error { return take(&b, baseline) }
		if round%2 == 1 {
			first, second = second, first
		}
		if err := first(); err != nil {
			return nil, nil, err
		}
		if err := second(); err != nil {
			return nil, nil, err
		}
	}
	return h, b, nil
}

// Repeat takes a figure of one side in every round.
func Repeat(rounds int, from func() (float64, error)) (Samples, error) {
	var s Samples
	for range rounds {
		value, err := from()
		if err != nil {
			return nil, err
		}
		s = append(s, value)
	}
	return s, nil
}

// Timed takes the milliseconds of a call.
func Timed(call func() error) func() (float64, error) {
	return func() (float64, error) {
		began := time.Now()
		err := call()
		return time.Since(began).Seconds() * 1000, err
	}
}

// Interleave takes figures in turn, n values of each, and gives the median of each. Who begins moves on
// by one each time. What else the machine does meanwhile meets all of them alike.
func Interleave(n int, from ...func() (float64, error)) ([]float64, error) {
	taken := make([]Samples, len(from))
	for round := range n {
		for i := range from {
			which := (i + round) % len(from)
			value, err := from[which]()
			if err != nil {
				return nil, err
			}
			taken[which] = append(taken[which], value)
		}
	}
	medians := make([]float64, len(from))
	for i, t := range taken {
		medians[i] = t.Median()
	}
	return medians, nil
}

// Pause waits for d, or until ctx ends. Use it only to let a process come to rest.
func Pause(ctx context.Context, d time.Duration) error {
	lifecycle.Sleep(ctx, d)
	return ctx.Err()
}
