package hubserver

import (
	"context"
	"log/slog"
	"net"

	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/tlsfiles"
)

// listeners are where a hub is called.
type listeners struct {
	grpc net.Listener
	// tls is that of grpc, which the gRPC server does itself; nil without.
	tls *tlsfiles.Files
	// admin has its TLS, if any.
	admin net.Listener
}

// listen takes the ports and opens the certificates. The parts must be stopped, after an error, too.
func (c Config) listen(ctx context.Context, logger *slog.Logger, metrics *telemetry.Registry) (l listeners, parts []lifecycle.Part, err error) {
	if l.tls, err = c.TLS.Open(logger); err != nil {
		return l, nil, err
	}
	adminTLS, err := c.AdminTLS.Open(logger)
	if err != nil {
		return l, nil, err
	}
	l.tls.Measure(metrics, "server")
	adminTLS.Measure(metrics, "admin")

	var part lifecycle.Part
	if l.grpc, part, err = lifecycle.Listen(ctx, "HUB_GRPC_ADDR", c.GRPCAddr); err != nil {
		return l, parts, err
	}
	parts = append(parts, part)
	if l.admin, part, err = lifecycle.Listen(ctx, "HUB_ADMIN_ADDR", c.AdminAddr); err != nil {
		return l, parts, err
	}
	l.admin = adminTLS.Listener(l.admin)
	return l, append(parts, part), nil
}
