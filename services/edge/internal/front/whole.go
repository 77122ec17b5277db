package front

import (
	"context"
	"net"
	"net/http"
	"syscall"
)

// large is the body with which an answer may not fit into the 4 KiB that net/http gathers before it writes, of which
// 512 bytes are left for the header: such an answer takes two writes, and its client wakes for a part of it.
const large = 4<<10 - 512

type socketKey struct{}

// ConnContext is that of the http.Server. It lets an Exchange send the header and the body of a large answer in one
// piece, unless the connection has TLS.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if tcp, ok := c.(*net.TCPConn); ok {
		if socket, err := tcp.SyscallConn(); err == nil {
			return context.WithValue(ctx, socketKey{}, socket)
		}
	}
	return ctx
}

// Socket gives the connection of a request's context, or nil where ConnContext has kept none.
func Socket(ctx context.Context) syscall.RawConn {
	socket, _ := ctx.Value(socketKey{}).(syscall.RawConn)
	return socket
}

// whole writes the begin of an answer, and has the kernel hold it back until all of it is there. Errors of the
// socket do not matter: then the answer goes in two pieces.
func (x *Exchange) whole(b []byte) (int, error) {
	_ = x.Socket.Control(hold)
	n, err := x.ResponseWriter.Write(b)
	_ = http.NewResponseController(x.ResponseWriter).Flush()
	_ = x.Socket.Control(release)
	return n, err
}
