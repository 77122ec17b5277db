package health

import (
	"context"
	"time"

	"example.com/hub/pkg/lifecycle"
)

// Probing is the part that probes; its stop ends that.
func (h *Health) Probing() lifecycle.Part {
	return lifecycle.Background("health", func(ctx context.Context) error {
		h.Run(ctx)
		return nil
	})
}

// Draining is the part that stops first: it makes the process unready and then keeps everything
// running for delay, so that load balancers learn of it before connections are refused.
func (h *Health) Draining(delay time.Duration) lifecycle.Part {
	return lifecycle.Part{Name: "drain", Stop: func(ctx context.Context) error {
		h.Drain()
		lifecycle.Sleep(ctx, delay)
		return nil
	}}
}
