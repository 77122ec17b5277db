package outbox

import (
	"context"
	"maps"
	"math/bits"
	"sync"
	"time"

	"example.com/hub/pkg/bus"
)

// maxHeard bounds the rows that are remembered, some 20 MB. What does not fit is announced again.
const maxHeard = 200_000

// heard remembers what came back over the bus, of the rows that are not settled.
type heard struct {
	// more has a token when a part was heard since the last look; its capacity is 1.
	more chan struct{}

	mu       sync.Mutex
	settled  bus.Position
	rows     map[bus.Position]parts
	repeated uint64
}

func newHeard() *heard {
	return &heard{more: make(chan struct{}, 1), rows: map[bus.Position]parts{}}
}

// hear notes a part of a row.
func (h *heard) hear(f bus.Frame) {
	if f.Position.IsZero() || f.Part < 0 {
		return
	}
	h.mu.Lock()
	known, found := h.rows[f.Position]
	switch {
	case f.Position.Compare(h.settled) <= 0, known.has(f.Part):
		if f.Part == 0 {
			h.repeated++
		}
	case found || len(h.rows) < maxHeard:
		h.rows[f.Position] = known.with(f.Part)
	}
	h.mu.Unlock()
	select {
	case h.more <- struct{}{}:
	default:
	}
}

// whole tells whether every part of the row was heard.
func (h *heard) whole(r Row) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.rows[r.Position].count() >= bus.Parts(r.Events)
}

// settle forgets the rows up to a position.
func (h *heard) settle(p bus.Position) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.settled = p
	maps.DeleteFunc(h.rows, func(row bus.Position, _ parts) bool { return row.Compare(p) <= 0 })
}

// wait returns when all rows are heard, and false when that takes too long.
func (h *heard) wait(ctx context.Context, rows []Row, patience time.Duration) bool {
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		for len(rows) > 0 && h.whole(rows[0]) {
			rows = rows[1:]
		}
		if len(rows) == 0 {
			return true
		}
		select {
		case <-h.more:
		case <-late.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

func (h *heard) repeats() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.repeated
}

// parts is a set of parts of one row. Most rows have one part, and few have more than 64.
type parts struct {
	low  uint64
	high []uint64
}

func (p parts) has(part int) bool {
	if part < 64 {
		return p.low>>part&1 == 1
	}
	word := part/64 - 1
	return word < len(p.high) && p.high[word]>>(part%64)&1 == 1
}

func (p parts) with(part int) parts {
	if part < 64 {
		p.low |= 1 << part
		return p
	}
	word := part/64 - 1
	for len(p.high) <= word {
		p.high = append(p.high, 0)
	}
	p.high[word] |= 1 << (part % 64)
	return p
}

func (p parts) count() int {
	n := bits.OnesCount64(p.low)
	for _, word := range p.high {
		n += bits.OnesCount64(word)
	}
	return n
}
