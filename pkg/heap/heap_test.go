package heap_test

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"example.com/hub/pkg/heap"
)

const garbage = 32 << 20

var held, sink []byte

func percent() uint64 { return read("/gc/gogc:percent") }

func read(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// collectUntil collects until the pace is right; it is set after a collection, not in it.
func collectUntil(t *testing.T, right func(percent uint64) bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
		runtime.GC()
		if right(percent()) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("GOGC stays at %d", percent())
		}
	}
}

func collections() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}

func TestFloor(t *testing.T) {
	heap.Floor(garbage)
	collectUntil(t, func(p uint64) bool { return p == 400 })

	before := collections()
	for range garbage / 4 / 4096 {
		sink = make([]byte, 4096)
	}
	if n := collections() - before; n > 0 {
		t.Errorf("%d collections for garbage of a quarter of that", n)
	}

	// A heap that is larger than that is collected as usual.
	held = make([]byte, 4*garbage)
	collectUntil(t, func(p uint64) bool { return p == 100 })
	runtime.KeepAlive(held)

	held = nil
	collectUntil(t, func(p uint64) bool { return p == 400 })
}

// resident is what the heap holds of the system's memory.
func resident() uint64 {
	return read("/memory/classes/heap/objects:bytes") + read("/memory/classes/heap/unused:bytes") +
		read("/memory/classes/heap/free:bytes")
}

func TestAProcessAtRestGivesMemoryBack(t *testing.T) {
	heap.Floor(garbage)
	collectUntil(t, func(p uint64) bool { return p == 400 })
	for range 2 * garbage / 4096 {
		sink = make([]byte, 4096)
	}
	runtime.GC() // what is made on a busy machine after it has given back would be kept for the next one
	// Who looks all the time makes garbage, too.
	for deadline := time.Now().Add(20 * time.Second); resident() > garbage/4; <-time.After(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the heap still holds %d MiB", resident()>>20)
		}
	}
}
