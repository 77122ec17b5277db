package ring_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/ring"
	"example.com/hub/services/edge/internal/sse"
)

// crowdFrame is a push to n users, with ids as the hub makes them.
func crowdFrame(n int) []bus.Event {
	frame := make([]bus.Event, n)
	for i := range frame {
		frame[i] = message(fmt.Sprintf("firstname.lastname%05d", i), fmt.Sprintf("0190c1f27e1b-%06d", i))
	}
	return frame
}

// BenchmarkRingAdd adds pushes to 10,000 users, in the frames in which the bus brings them.
func BenchmarkRingAdd(b *testing.B) {
	const users = 10_000
	r := ring.New(time.Minute, 64<<20, time.Now)
	frame := crowdFrame(users)
	b.ReportAllocs()
	for b.Loop() {
		for at := 0; at < users; at += bus.MaxEvents {
			r.Add(frame[at:at+bus.MaxEvents], false)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/users, "ns/event")
}

// addEvent appends the text of an event, as a stream has it.
func addEvent(dst []byte, e ring.Event) []byte {
	dst, _ = sse.AppendEvent(dst, &bus.Event{Kind: e.Kind, ID: string(e.ID), Time: e.Time})
	return dst
}

// BenchmarkResume looks up a user's events in a full ring of 64 MiB: the last of some hundred that 10,000 users
// have each, the first of them with a replay of the rest, and one that is not there. The baseline is a map
// of users with a slice each of what the ring keeps of an event, which is scanned for the earliest event of
// the id. B/event is what either takes in memory.
func BenchmarkResume(b *testing.B) {
	const users = 10_000
	r := ring.New(time.Hour, 64<<20, time.Now)
	type kept struct {
		id   string
		ms   int64
		kind bus.Kind
	}
	before := heap()
	plain := map[string][]kept{}
	frame := crowdFrame(users)
	events := 0
	for n := 0; r.Tidy() < 64<<20-users*100; n++ {
		for i := range frame {
			e := &frame[i]
			e.ID = fmt.Sprintf("0190c1f27e1b-%06d", n)
			plain[e.User] = append(plain[e.User], kept{e.ID, e.Time.UnixMilli(), e.Kind})
		}
		for at := 0; at < users; at += bus.MaxEvents {
			r.Add(frame[at:at+bus.MaxEvents], false)
		}
		events = n + 1
	}
	// The ring was made before, all of it.
	plainSize := heap() - before
	for _, tt := range []struct{ name, id string }{
		{"last", fmt.Sprintf("0190c1f27e1b-%06d", events-1)},
		{"first", fmt.Sprintf("0190c1f27e1b-%06d", 0)},
		{"unknown", "unknown"},
	} {
		buf := make([]byte, 0, 64<<10)
		b.Run(tt.name+"/against=map/impl=baseline", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				own := plain[frame[i%users].User]
				place := 0
				for place < len(own) && own[place].id != tt.id {
					place++
				}
				if (place < len(own)) != (tt.name != "unknown") {
					b.Fatalf("found at %d", place)
				}
				buf = buf[:0]
				for n := place + 1; n < len(own); n++ {
					buf, _ = sse.AppendEvent(buf, &bus.Event{Kind: own[n].kind, ID: own[n].id, Time: time.UnixMilli(own[n].ms)})
				}
			}
			b.ReportMetric(float64(plainSize)/float64(events*users), "B/event")
		})
		b.Run(tt.name+"/against=map/impl=hub", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				user := frame[i%users].User
				place, ok := r.Find(user, tt.id)
				if ok != (tt.name != "unknown") {
					b.Fatalf("known is %v", ok)
				}
				for n := 1; ok && n > 0; {
					_, n, place, _ = r.Read(buf, user, place, 16<<10, addEvent)
				}
			}
			b.ReportMetric(float64(r.Tidy())/float64(events*users), "B/event")
		})
	}
}

// heap is the live memory in bytes.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
