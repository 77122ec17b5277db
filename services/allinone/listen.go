package allinone

import (
	"context"

	"example.com/hub/services/edge"
)

// URL is the address of REST, without a slash at the end.
func (h *Hub) URL() string { return scheme(h.tls != nil) + h.http.Addr().String() }

// AdminURL is the address of health and metrics, without a slash at the end, or "".
func (h *Hub) AdminURL() string {
	if h.admin == nil {
		return ""
	}
	return scheme(h.cfg.AdminTLS.CertFile != "") + h.admin.Addr().String()
}

// GRPCAddr is the address of native gRPC, host:port.
func (h *Hub) GRPCAddr() string { return h.grpc.Addr().String() }

func scheme(secure bool) string {
	if secure {
		return "https://"
	}
	return "http://"
}

// listen takes the ports for callers. TLS of gRPC is up to its server.
func (h *Hub) listen(ctx context.Context) (err error) {
	if h.tls, err = h.p.TLS("server", h.cfg.TLS.Open); err != nil {
		return err
	}
	if h.http, err = h.p.Listen(ctx, "HUB_HTTP_ADDR", h.cfg.HTTPAddr); err != nil {
		return err
	}
	h.http = edge.Listener(h.http, h.tls)
	h.grpc, err = h.p.Listen(ctx, "HUB_GRPC_ADDR", h.cfg.GRPCAddr)
	return err
}
