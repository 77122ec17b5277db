package main

import (
	"context"
	"net"

	"example.com/hub/pkg/lifecycle"
	"example.com/hub/services/edge"
)

// listen takes the ports and opens the certificates of the listeners.
func (p *process) listen(ctx context.Context) (public, admin net.Listener, err error) {
	publicTLS, err := p.cfg.TLS.Open(p.logger)
	if err != nil {
		return nil, nil, err
	}
	adminTLS, err := p.cfg.AdminTLS.Open(p.logger)
	if err != nil {
		return nil, nil, err
	}
	publicTLS.Measure(p.metrics, "server")
	adminTLS.Measure(p.metrics, "admin")

	public, part, err := lifecycle.Listen(ctx, "HUB_HTTP_ADDR", p.cfg.HTTPAddr)
	if err != nil {
		return nil, nil, err
	}
	p.add(part)
	admin, part, err = lifecycle.Listen(ctx, "HUB_ADMIN_ADDR", p.cfg.AdminAddr)
	if err != nil {
		return nil, nil, err
	}
	p.add(part)
	return edge.Listener(public, publicTLS), adminTLS.Listener(admin), nil
}
