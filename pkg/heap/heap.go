// Package heap paces the garbage collector of a small heap.
package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

const (
	// usual is GOGC where nobody set it: the heap may double between two collections.
	usual = 100
	// most bounds the heap behind a sudden growth, and the least heap, of which Go makes 4 MiB at 100.
	most = 400
	// rest is how long after a collection a process that needed no other has come to rest.
	rest = time.Second
)

// Floor gives every process that serves calls at least so many bytes of garbage between two collections, from its
// first collection on. A hub or an edge holds a few MiB and makes some ten KiB of garbage with each
// call, so that doubling alone would have it collect dozens of times a second: measured with lists
// over an edge and a hub, that was a fifth of their processor time. Where the heap is larger than that,
// and in everything that GOMEMLIMIT decides, nothing changes; a GOGC other than 100 is left alone.
//
// A process that comes to rest gives back what it holds for garbage, once: what it keeps then is what lives.
// Go alone keeps the room for as much garbage as the last load made.
func Floor(garbage uint64) {
	if read("/gc/gogc:percent") != usual {
		return
	}
	f := &floor{garbage: garbage, percent: usual}
	f.resting = time.AfterFunc(rest, f.giveBack)
	f.watch()
}

type floor struct {
	garbage uint64
	percent int
	resting *time.Timer
	given   atomic.Uint64 // the number of the collection that giveBack made
}

// watch adjusts the pace after the next collection, which finds the object that nobody holds.
func (f *floor) watch() {
	type collected struct{ self *floor }
	runtime.AddCleanup(&collected{f}, func(f *floor) {
		f.adjust(read("/gc/heap/live:bytes"))
		if collections() != f.given.Load() {
			f.resting.Reset(rest)
		}
		f.watch()
	}, f)
}

func (f *floor) giveBack() {
	f.given.Store(collections() + 1)
	debug.FreeOSMemory()
}

// collections is the number of those that are over.
func collections() uint64 { return read("/gc/cycles/total:gc-cycles") }

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
