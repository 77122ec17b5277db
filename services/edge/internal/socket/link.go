package socket

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"net"
	"net/http"

	"example.com/hub/services/edge/internal/conn"
)

const (
	// readSize is more than the longest frame of control and its header take (RFC 6455, section 5.5).
	readSize = 256
	// writeSize is more than what nearly all messages and their headers take.
	writeSize = 256
)

// link is a client's connection as the library uses it: it writes to a conn.Conn, which never waits.
type link struct {
	net.Conn
	out  *conn.Conn
	part []byte // of a frame that is longer than writeSize; nil when there is none
}

// Write implements net.Conn for the library, which writes one frame at a time. It is sent whole, so that
// other frames come before it or behind it.
func (l *link) Write(p []byte) (int, error) {
	frame := p
	if len(l.part)+len(p) < frameLength(l.part, p) {
		l.part = append(l.part, p...)
		return len(p), nil
	}
	if l.part != nil {
		l.part = append(l.part, p...)
		frame, l.part = l.part, nil
	}
	if !l.out.Send(frame, 0) {
		return 0, net.ErrClosed
	}
	return len(p), nil
}

// frameLength gives the length of a frame with its header, which stands in the first of its parts (RFC 6455,
// section 5.2). No frame of Hub's has 64 KiB.
func frameLength(part, p []byte) int {
	if part != nil {
		p = part
	}
	if p[1] == 126 {
		return 4 + int(binary.BigEndian.Uint16(p[2:]))
	}
	return 2 + int(p[1])
}

// Close implements net.Conn. What was written is still sent.
func (l *link) Close() error {
	l.out.End(nil, nil)
	return nil
}

// taker is what the library upgrades: it takes the connection for the client, and keeps a refusal of the
// library to itself, for the envelope.
type taker struct {
	http.ResponseWriter
	client  *client
	refused bool
}

// WriteHeader implements http.ResponseWriter.
func (t *taker) WriteHeader(status int) {
	if t.refused = status != http.StatusSwitchingProtocols; !t.refused {
		t.ResponseWriter.WriteHeader(status)
	}
}

// Write implements http.ResponseWriter, for the text of a refusal.
func (*taker) Write(p []byte) (int, error) { return len(p), nil }

// Hijack implements http.Hijacker, with buffers that are smaller than those of net/http.
func (t *taker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	taken, buffers, err := http.NewResponseController(t.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, fmt.Errorf("take over the connection: %w", err)
	}
	l := &link{Conn: taken, out: conn.New(taken, &t.client.slow)}
	l.out.Late(farewell)
	l.out.Start(nil, 0, func() bool { return true })
	t.client.link = l
	in := buffers.Reader
	if in.Buffered() == 0 { // as with any client that waits for the answer
		in = bufio.NewReaderSize(l, readSize)
	}
	return l, bufio.NewReadWriter(in, bufio.NewWriterSize(l, writeSize)), nil
}
