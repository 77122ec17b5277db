package tlsfiles

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// Credentials are those of a gRPC client. Each connection is made with what is in force then. Without
// TLS they are plain text.
func (f *Files) Credentials() credentials.TransportCredentials {
	if f == nil {
		return insecure.NewCredentials()
	}
	return dialer{f}
}

// dialer is a credentials.TransportCredentials of which only the client's side works. The authorities
// of a tls.Config cannot be replaced, so that each handshake gets its own.
type dialer struct{ files *Files }

// ClientHandshake implements credentials.TransportCredentials.
func (d dialer) ClientHandshake(ctx context.Context, authority string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return d.current().ClientHandshake(ctx, authority, conn)
}

// ServerHandshake implements credentials.TransportCredentials; it always fails.
func (dialer) ServerHandshake(net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("these credentials are a client's")
}

// Info implements credentials.TransportCredentials.
func (d dialer) Info() credentials.ProtocolInfo { return d.current().Info() }

// Clone implements credentials.TransportCredentials.
func (d dialer) Clone() credentials.TransportCredentials { return d }

// OverrideServerName implements credentials.TransportCredentials; it always fails, since the name is
// that of the connection.
func (dialer) OverrideServerName(string) error {
	return errors.New("name the server by the authority of the connection")
}

func (d dialer) current() credentials.TransportCredentials {
	c := d.files.Current()
	config := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.authorities}
	if c.pair != nil {
		config.Certificates = []tls.Certificate{*c.pair}
	}
	return credentials.NewTLS(config)
}
