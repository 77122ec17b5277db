// Package heap paces the garbage collector of a small heap.
package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// usual is GOGC where nobody set it: the heap may double between two collections.
	usual = 100
	// most bounds the heap behind a sudden growth, and the least heap, of which Go makes 4 MiB at 100.
	most = 400
)

// Floor gives every process that serves calls at least so many bytes of garbage between two collections, from its
// first collection on. A hub or an edge holds a few MiB and makes some ten KiB of garbage with each
// call, so that doubling alone would have it collect dozens of times a second: measured with lists
// over an edge and a hub, that was a fifth of their processor time. Where the heap is larger than that,
// and in everything that GOMEMLIMIT decides, nothing changes; a GOGC other than 100 is left alone.
func Floor(garbage uint64) {
	if read("/gc/gogc:percent") == usual {
		(&floor{garbage: garbage, percent: usual}).watch()
	}
}

type floor struct {
	garbage uint64
	percent int
}

// watch adjusts the pace after the next collection, which finds the object that nobody holds.
func (f *floor) watch() {
	type collected struct{ self *floor }
	runtime.AddCleanup(&collected{f}, func(f *floor) {
		f.adjust(read("/gc/heap/live:bytes"))
		f.watch()
	}, f)
}

func (f *floor) adjust(live uint64) {
	percent := min(max(f.garbage*100/max(live, 1), usual), most)
	// Every change stops the world for a moment.
	if change := int(percent) - f.percent; change > f.percent/8 || -change > f.percent/8 {
		f.percent = int(percent)
		debug.SetGCPercent(f.percent)
	}
}

func read(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
