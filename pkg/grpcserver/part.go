package grpcserver

import (
	"context"
	"net"
	"time"

	"example.com/hub/pkg/lifecycle"
)

// Part serves l; its stop lets running calls end for at most grace.
func Part(s *Server, l net.Listener, grace time.Duration) lifecycle.Part {
	return lifecycle.Part{
		Name: "gRPC",
		Run:  func() error { return s.Serve(l) },
		Stop: func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, grace)
			defer cancel()
			return s.Stop(ctx)
		},
	}
}
