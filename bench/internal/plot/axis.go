package plot

import "math"

// axis maps values to pixels. It ends a little outside of the values, at one of 1, 2 or 5 times a power
// of ten.
type axis struct{ low, high, from, to float64 }

var steps = []float64{1, 2, 5, 10}

func newAxis(values []float64, from, to float64) axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	if len(values) == 0 {
		low, high = 1, 10
	}
	low, high = below(low), above(high)
	if low == high {
		high = above(high * 1.01)
	}
	return axis{low, high, from, to}
}

// below is the largest step that is not more than v.
func below(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	found := power
	for _, s := range steps {
		if s*power <= v*(1+1e-9) {
			found = s * power
		}
	}
	return found
}

// above is the smallest step that is not less than v.
func above(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, s := range steps {
		if s*power >= v*(1-1e-9) {
			return s * power
		}
	}
	return 10 * power
}

// at is the pixel of a value.
func (a axis) at(v float64) float64 {
	return a.from + math.Log(v/a.low)/math.Log(a.high/a.low)*(a.to-a.from)
}

// tick is a line across the field.
type tick struct {
	value float64
	label bool
}

// ticks are all multiples of powers of ten on the axis. Powers of ten have labels, on a short axis 2 and
// 5 times them, too.
func (a axis) ticks() []tick {
	short := a.high/a.low < 150
	var all []tick
	for power := math.Pow(10, math.Floor(math.Log10(a.low)+1e-9)); power <= a.high*(1+1e-9); power *= 10 {
		for n := 1.0; n < 10; n++ {
			v := n * power
			if v < a.low*(1-1e-9) || v > a.high*(1+1e-9) {
				continue
			}
			all = append(all, tick{v, n == 1 || short && (n == 2 || n == 5)})
		}
	}
	return all
}
