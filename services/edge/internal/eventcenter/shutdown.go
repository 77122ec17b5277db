package eventcenter

import (
	"context"
	"log/slog"
	"time"

	"example.com/hub/pkg/lifecycle"
	"example.com/hub/services/edge/internal/life"
)

// pollGrace is how long a stopping edge still waits for answers to what only reads and may wait for long.
const pollGrace = time.Second

// Shutdown refuses new requests and cuts the answers without a known length over spread, since they may go on for
// an hour; whoever reads one connects again. A second later what only reads and has no answer yet is answered
// 503. All else goes on: its end is the server's part. It gives ctx's error when that ends first.
func (c *Center) Shutdown(ctx context.Context, spread time.Duration) error {
	c.draining.Store(true)
	streams := c.those((*exchange).streams)
	c.deps.Logger.InfoContext(ctx, "ending calls to the event center",
		slog.Int("streams", len(streams)), slog.Int64("spread_ms", spread.Milliseconds()))
	life.Spread(ctx, len(streams), spread, func(i int) { streams[i].cancel(errStopping) })
	if len(c.those((*exchange).mayLast)) > 0 {
		lifecycle.Sleep(ctx, pollGrace)
	}
	for _, x := range c.those((*exchange).mayLast) {
		x.cancel(errStopping)
	}
	return ctx.Err()
}

// those gives the exchanges of a kind.
func (c *Center) those(kind func(*exchange) bool) (found []*exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for x := range c.open {
		if kind(x) {
			found = append(found, x)
		}
	}
	return found
}

// streams tells whether the answer has begun and nobody knows its end.
func (x *exchange) streams() bool { return x.answering.Load() && x.endless.Load() }

// mayLast tells whether the answer may take long, and is asked for again when it does not come.
func (x *exchange) mayLast() bool {
	return x.streams() || !x.answering.Load() && safe(x.in.Method) && x.body.done.Load()
}
