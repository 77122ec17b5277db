package tlsfiles

import (
	"crypto/tls"
	"net"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// Listener serves TLS for HTTP/1.1 on l. Without TLS it is l.
func (f *Files) Listener(l net.Listener) net.Listener {
	if f == nil {
		return l
	}
	return tls.NewListener(l, f.server("http/1.1"))
}

// GRPC are the options of a gRPC server with TLS; none without.
func (f *Files) GRPC() []grpc.ServerOption {
	if f == nil {
		return nil
	}
	return []grpc.ServerOption{grpc.Creds(credentials.NewTLS(f.server("h2")))}
}

// server asks for what is in force at each handshake. A session that is resumed is held against the
// authorities in force, too (crypto/tls). Connections keep their configuration, so they share it.
func (f *Files) server(protocol string) *tls.Config {
	type made struct {
		of     *content
		config *tls.Config
	}
	var last atomic.Pointer[made]
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{protocol},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			inForce, m := f.Current(), last.Load()
			if m == nil || m.of != inForce {
				m = &made{inForce, inForce.server(protocol)}
				last.Store(m)
			}
			return m.config, nil
		},
	}
}

// server makes a configuration. A client needs no certificate, but one that it shows must be good.
func (c *content) server(protocol string) *tls.Config {
	config := &tls.Config{
		MinVersion:   tls.VersionTLS12,
		NextProtos:   []string{protocol},
		Certificates: []tls.Certificate{*c.pair},
	}
	if c.authorities != nil {
		config.ClientAuth, config.ClientCAs = tls.VerifyClientCertIfGiven, c.authorities
	}
	return config
}
