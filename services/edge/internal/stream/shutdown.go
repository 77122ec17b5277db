package stream

import (
	"context"
	"log/slog"

	"example.com/hub/services/edge/internal/life"
)

// Shutdown refuses new streams and closes the present ones over DrainSpread, each with a "retry:" of
// 1 to 5 s, while those that are left still get their events. It returns when all have ended. When
// ctx ends first, it closes what is left at once and gives ctx's error.
func (b *Broker) Shutdown(ctx context.Context) error {
	b.draining.Store(true)
	defer b.unsubscribe()
	defer b.poller.Close()
	all := b.registry.all()
	b.deps.Logger.InfoContext(ctx, "closing event streams",
		slog.Int("streams", len(all)), slog.Int64("spread_ms", b.deps.DrainSpread.Milliseconds()))
	life.Spread(ctx, len(all), b.deps.DrainSpread, func(i int) { all[i].end(soon(), b.deps.Clock(), nil) })

	ended := make(chan struct{})
	go func() {
		b.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		if b.deps.Claims != nil {
			b.claims.settle(ctx)
		}
		return nil
	case <-ctx.Done():
		for _, s := range b.registry.all() {
			s.transport.Close()
		}
		return ctx.Err()
	}
}
