package replicas

import (
	"context"
	"net"

	"google.golang.org/grpc/credentials"
)

// watched are credentials that show each replica its connections.
type watched struct {
	credentials.TransportCredentials
}

// ClientHandshake implements credentials.TransportCredentials.
func (w watched) ClientHandshake(ctx context.Context, authority string, raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := w.TransportCredentials.ClientHandshake(ctx, authority, raw)
	if err != nil {
		return conn, info, err
	}
	if r, ok := credentials.ClientHandshakeInfoFromContext(ctx).Attributes.Value(replicaKey{}).(*replica); ok {
		conn = r.connected(conn, raw)
	}
	return conn, info, nil
}

// Clone implements credentials.TransportCredentials.
func (w watched) Clone() credentials.TransportCredentials {
	return watched{w.TransportCredentials.Clone()}
}

// connection is one over which calls go to a replica.
type connection struct {
	net.Conn
	// raw is below TLS, whose own Close waits for a peer that does not read.
	raw     net.Conn
	replica *replica
}

// Read implements net.Conn.
func (c *connection) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.replica.reads.Add(1)
	}
	return n, err
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.replica.mu.Lock()
	delete(c.replica.connections, c)
	c.replica.mu.Unlock()
	return c.Conn.Close()
}

func (r *replica) connected(conn, raw net.Conn) *connection {
	c := &connection{Conn: conn, raw: raw, replica: r}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.connections[c] = struct{}{}
	return c
}

// cut ends all connections to the replica. Calls that wait for an answer on them fail as unavailable, which
// gRPC repeats.
func (r *replica) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.connections {
		_ = c.raw.Close()
	}
}
