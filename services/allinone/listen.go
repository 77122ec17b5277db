package allinone

import (
	"context"
	"net"

	"example.com/hub/pkg/lifecycle"
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
	if h.tls, err = h.cfg.TLS.Open(h.logger); err != nil {
		return err
	}
	h.tls.Measure(h.metrics, "server")
	if h.http, err = h.take(ctx, "HUB_HTTP_ADDR", h.cfg.HTTPAddr); err != nil {
		return err
	}
	h.http = edge.Listener(h.http, h.tls)
	h.grpc, err = h.take(ctx, "HUB_GRPC_ADDR", h.cfg.GRPCAddr)
	return err
}

// listenAdmin takes the port for operators and probes.
func (h *Hub) listenAdmin(ctx context.Context) error {
	files, err := h.cfg.AdminTLS.Open(h.logger)
	if err != nil {
		return err
	}
	files.Measure(h.metrics, "admin")
	l, err := h.take(ctx, "HUB_ADMIN_ADDR", h.cfg.AdminAddr)
	if err != nil {
		return err
	}
	h.admin = files.Listener(l)
	return nil
}

func (h *Hub) take(ctx context.Context, setting, addr string) (net.Listener, error) {
	l, part, err := lifecycle.Listen(ctx, setting, addr)
	if err != nil {
		return nil, err
	}
	h.parts = append(h.parts, part)
	return l, nil
}
