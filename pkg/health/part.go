package health

import (
	"context"
	"net/http"
	"time"

	"example.com/hub/pkg/lifecycle"
)

// headerTimeout bounds the request header of a probe.
const headerTimeout = 5 * time.Second

// NewServer makes the server of the admin listener.
func (h *Health) NewServer() *http.Server {
	return &http.Server{Handler: h.Handler(), ReadHeaderTimeout: headerTimeout}
}

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
		select {
		case <-time.After(delay):
		case <-ctx.Done():
		}
		return nil
	}}
}
