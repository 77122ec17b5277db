package claim

import (
	"testing"
	"time"
)

func TestClockKeepsTheFastestSample(t *testing.T) {
	begin := time.Now()
	at := begin.Add
	var c clock
	if !c.due(begin) {
		t.Error("no sample is due at the start")
	}
	const ahead = time.Hour
	// Redis is an hour ahead; the answer took 100 ms, all of it on the way there.
	c.adopt(at(ahead+100*time.Millisecond), at(0), at(100*time.Millisecond))
	if got := c.offset - ahead; got != 50*time.Millisecond {
		t.Errorf("a slow sample is off by %v, want half of its round trip", got)
	}
	c.tried = at(0)
	if c.due(at(sampleSoon-1)) || !c.due(at(sampleSoon)) {
		t.Error("a poor sample must be bettered soon, and not at once")
	}

	c.adopt(at(ahead+time.Second), at(time.Second-time.Millisecond), at(time.Second+time.Millisecond))
	if got := c.offset; got != ahead {
		t.Errorf("a fast sample is off by %v", got-ahead)
	}
	c.tried = at(time.Second)
	if c.due(at(time.Second+sampleEvery-1)) || !c.due(at(time.Second+sampleEvery)) {
		t.Error("a good sample must be bettered now and then only")
	}

	c.adopt(at(ahead+3*time.Second), at(2*time.Second), at(3*time.Second))
	if c.offset != ahead {
		t.Error("a slower sample replaced a faster one")
	}
	late := time.Second + sampleLife + time.Minute
	c.adopt(at(ahead+late), at(late-time.Second), at(late))
	if c.offset == ahead {
		t.Error("an old sample was kept, whatever the clocks did meanwhile")
	}
}
