package conn

import (
	"bytes"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"
)

// maxUnsent bounds what TLS may write before the Conn sends it: a piece of a backlog, and answers to a
// client that asks for new keys again and again.
const maxUnsent = 4 * maxQueuedBytes

// Listener is for l below tls.NewListener. It lets a Conn over TLS try a write without waiting, as one
// over plain TCP does: what TLS makes of a frame is kept, and sent by the Conn itself.
func Listener(l net.Listener) net.Listener { return listener{l} }

type listener struct{ net.Listener }

// Accept implements net.Listener.
func (l listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &shim{Conn: conn}, nil
}

// shim stands between TLS and its connection. Writes pass until a Conn takes over. From then on it keeps
// what TLS writes, in the order in which TLS encrypted it, and only the Conn writes to what is below.
type shim struct {
	net.Conn

	mu     sync.Mutex // held for a moment only: TLS holds locks of its own when it writes
	taken  bool
	unsent *[]byte // nil when there is nothing
}

// unsentBuffers are shared, since a Conn needs one only while it sends.
var unsentBuffers = sync.Pool{New: func() any { return new([]byte) }}

var errUnsent = errors.New("too much to send")

// Write implements net.Conn for TLS.
func (s *shim) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.taken {
		return s.Conn.Write(p) // nobody else writes before a Conn is there
	}
	if s.unsent == nil {
		s.unsent = unsentBuffers.Get().(*[]byte)
	}
	if len(*s.unsent)+len(p) > maxUnsent {
		return 0, errUnsent
	}
	*s.unsent = append(*s.unsent, p...)
	return len(p), nil
}

// SetWriteDeadline implements net.Conn for TLS, which lets no write pass after its farewell. The Conn,
// which still has that to send, sets deadlines of its own.
func (s *shim) SetWriteDeadline(at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken {
		return nil
	}
	return s.Conn.SetWriteDeadline(at)
}

// takeOver keeps what TLS writes from now on.
func (s *shim) takeOver() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = true
}

// collect gives what TLS has written since the last time to use, and keeps none of it.
func (s *shim) collect(use func(sealed []byte)) {
	s.mu.Lock()
	unsent := s.unsent
	s.unsent = nil
	s.mu.Unlock()
	if unsent == nil {
		return
	}
	use(*unsent)
	*unsent = (*unsent)[:0]
	unsentBuffers.Put(unsent)
}

// writeSide gives the connection to write to: the one below TLS where there is a shim, which then has to seal
// what is written.
func writeSide(c net.Conn) (wire net.Conn, sealer *shim) {
	secure, ok := c.(*tls.Conn)
	if !ok {
		return c, nil
	}
	if sealer, ok = secure.NetConn().(*shim); !ok {
		return c, nil
	}
	return sealer.Conn, sealer
}

// seal encrypts a frame and hands it to use, which must not keep it. The last one ends what the client
// can take for whole.
func (c *Conn) seal(frame []byte, last bool, use func(sealed []byte)) error {
	_, err := c.conn.Write(frame)
	if secure, ok := c.conn.(*tls.Conn); err == nil && last && ok {
		err = secure.CloseWrite()
	}
	c.shim.collect(use)
	return err
}

// attemptSealed is attempt over TLS.
func (c *Conn) attemptSealed(frame []byte, last bool) (rest []byte, ok bool) {
	ok = true
	err := c.seal(frame, last, func(sealed []byte) {
		if c.writing || c.raw == nil {
			rest = bytes.Clone(sealed)
			return
		}
		n, err := tryWrite(c.raw, sealed)
		rest, ok = bytes.Clone(sealed[n:]), err == nil
	})
	return rest, ok && err == nil
}
