//go:build !linux

package conn

// Poller would wait for the clients of many connections; here each connection has a goroutine for that.
type Poller struct{}

// Close does nothing.
func (*Poller) Close() {}

func (*Poller) add(*Conn) bool { return false }

func (*Poller) remove(*Conn) {}
