package stream

import (
	"bytes"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"
)

// maxUnsent bounds what TLS may write before the stream sends it: a piece of a replay, and answers to a
// client that asks for new keys again and again.
const maxUnsent = 4 * maxQueuedBytes

// Listener is for l below tls.NewListener. It lets a stream over TLS try a write without waiting, as
// one over plain TCP does: what TLS makes of an event is kept, and sent by the stream itself.
func Listener(l net.Listener) net.Listener { return listener{l} }

type listener struct{ net.Listener }

// Accept implements net.Listener.
func (l listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &below{Conn: conn}, nil
}

// below is the connection below TLS. It is passed through until a stream takes it over. From then on it
// keeps what TLS writes, in the order in which TLS encrypted it, and only the stream writes to Conn.
type below struct {
	net.Conn

	mu     sync.Mutex // held for a moment only: TLS holds locks of its own when it writes
	taken  bool
	unsent *[]byte // nil when there is nothing
}

// unsentBuffers are shared, since a stream needs one only while it sends.
var unsentBuffers = sync.Pool{New: func() any { return new([]byte) }}

var errUnsent = errors.New("too much to send")

// Write implements net.Conn for TLS.
func (b *below) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.taken {
		return b.Conn.Write(p) // nobody else writes before a stream is there
	}
	if b.unsent == nil {
		b.unsent = unsentBuffers.Get().(*[]byte)
	}
	if len(*b.unsent)+len(p) > maxUnsent {
		return 0, errUnsent
	}
	*b.unsent = append(*b.unsent, p...)
	return len(p), nil
}

// SetWriteDeadline implements net.Conn for TLS, which lets no write pass after its farewell. The stream,
// which still has that to send, sets deadlines of its own.
func (b *below) SetWriteDeadline(at time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.taken {
		return nil
	}
	return b.Conn.SetWriteDeadline(at)
}

// takeOver keeps what TLS writes from now on.
func (b *below) takeOver() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken = true
}

// collect gives what TLS has written since the last time to use, and keeps none of it.
func (b *below) collect(use func(sealed []byte)) {
	b.mu.Lock()
	unsent := b.unsent
	b.unsent = nil
	b.mu.Unlock()
	if unsent == nil {
		return
	}
	use(*unsent)
	*unsent = (*unsent)[:0]
	unsentBuffers.Put(unsent)
}

// transport gives the connection that a stream writes to: below TLS if that is there, so that the stream
// must seal what it writes.
func transport(conn net.Conn) (wire net.Conn, sealer *below) {
	secure, ok := conn.(*tls.Conn)
	if !ok {
		return conn, nil
	}
	if sealer, ok = secure.NetConn().(*below); !ok {
		return conn, nil
	}
	return sealer.Conn, sealer
}

// seal encrypts a frame and hands it to use, which must not keep it. The last one ends what the client
// can take for whole.
func (s *stream) seal(frame []byte, last bool, use func(sealed []byte)) error {
	_, err := s.conn.Write(frame)
	if secure, ok := s.conn.(*tls.Conn); err == nil && last && ok {
		err = secure.CloseWrite()
	}
	s.below.collect(use)
	return err
}

// attemptSealed is attempt for a stream over TLS.
func (s *stream) attemptSealed(frame []byte, last bool) (rest []byte, ok bool) {
	ok = true
	err := s.seal(frame, last, func(sealed []byte) {
		if s.writing || s.raw == nil {
			rest = bytes.Clone(sealed)
			return
		}
		n, err := tryWrite(s.raw, sealed)
		rest, ok = bytes.Clone(sealed[n:]), err == nil
	})
	return rest, ok && err == nil
}
