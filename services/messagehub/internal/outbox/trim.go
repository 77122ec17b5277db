package outbox

import (
	"context"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/lifecycle"
)

// trimRows makes a transaction of some 50 ms. For so long it holds the watermark, and whatever vacuum would
// clean up.
const trimRows = 5000

// trim deletes rows that are old until none is left, or the time is over. After each batch it rests for as
// long as that took, so that it has at most half of one connection, and less of a busy database.
func (o *Outbox) trim(ctx context.Context, until time.Time) error {
	if o.trimmed.Compare(o.settled) > 0 {
		// The positions began anew.
		o.trimmed = bus.Position{}
	}
	for {
		began := time.Now()
		t, err := o.deps.Log.Trim(ctx, TrimParams{After: o.trimmed, UpTo: o.settled, Age: o.deps.Retention, Limit: trimRows})
		if err != nil {
			return err
		}
		o.trimmed = t.UpTo
		o.removed.Add(uint64(t.Rows))
		o.bytes.Store(t.Bytes)
		if t.Rows < trimRows {
			o.due.Store(time.Now().UnixNano())
			return nil
		}
		o.due.Store(time.Now().Add(-max(0, t.Age-o.deps.Retention)).UnixNano())
		rest := time.Since(began)
		// The next batch takes about as long.
		if time.Now().Add(2*rest).After(until) || !lifecycle.Sleep(ctx, rest) {
			return nil
		}
	}
}

// trimLag is by how much the oldest row may be over its time. While the bus is away or a transaction holds
// the watermark, that row waits to be settled.
func (o *Outbox) trimLag(watermarkLag time.Duration) time.Duration {
	return max(0, time.Since(time.Unix(0, o.due.Load())), watermarkLag-o.deps.Retention)
}
