package eventcenter

import (
	"sync"

	"example.com/hub/pkg/telemetry"
)

// bufferSize is what an answer is copied by, in bytes.
const bufferSize = 16 << 10

// pool keeps the buffers of answers.
type pool struct{ sync.Pool }

var buffers = pool{sync.Pool{New: func() any { return new([bufferSize]byte) }}}

// Get implements httputil.BufferPool.
func (p *pool) Get() []byte { return p.Pool.Get().(*[bufferSize]byte)[:] }

// Put implements httputil.BufferPool.
func (p *pool) Put(b []byte) { p.Pool.Put((*[bufferSize]byte)(b)) }

// enter takes a place for an exchange; it is false when there is none, or the edge stops.
func (c *Center) enter(x *exchange) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.draining.Load() || len(c.open) >= maxOpen {
		return false
	}
	c.open[x] = struct{}{}
	return true
}

// leave gives a place back.
func (c *Center) leave(x *exchange, r result) {
	c.counts[r].Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, x)
}

// Stats are counts since New.
type Stats struct {
	// Open is how many exchanges are under way.
	Open int
	// Results are how many came to each result.
	Results [results]uint64
}

// Stats reads the counters; a nil *Center has none.
func (c *Center) Stats() Stats {
	if c == nil {
		return Stats{}
	}
	c.mu.Lock()
	s := Stats{Open: len(c.open)}
	c.mu.Unlock()
	for i := range s.Results {
		s.Results[i] = c.counts[i].Load()
	}
	return s
}

// names are those of the results in metrics.
var names = [results]string{
	answered: "answered", refused: "refused", invalid: "invalid", unreachable: "unreachable", late: "late", broken: "broken",
	left: "left", ended: "ended",
}

// Measure adds the metrics, also of a nil *Center.
func (c *Center) Measure(r *telemetry.Registry) {
	metrics := []telemetry.Metric[Stats]{
		telemetry.Gauge("hub_edge_event_center_open", "Calls to the event center under way.", func(s Stats) int { return s.Open }),
		telemetry.Gauge("hub_edge_event_center_max", "Most calls to the event center that may be under way.", func(Stats) int { return maxOpen }),
	}
	for i := answered; i < results; i++ {
		metrics = append(metrics, telemetry.Counter("hub_edge_event_center_calls_total",
			"Calls to the event center that are over, by what became of them.",
			func(s Stats) uint64 { return s.Results[i] }, "result", names[i]))
	}
	telemetry.Read(r, c.Stats, metrics...)
}
