package rest

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"
)

// exchange is what one request holds until its answer is written. It is the response writer too, so
// that a panic knows whether an answer has begun, and the access log how it ended.
type exchange struct {
	http.ResponseWriter
	answered bool
	// status is that of the answer, without the mask of MaskErrors.
	status int
	// route is Handler.unknown until the request is routed.
	route *route
	// client is the id of a verified caller.
	client string
	// buffers is nil but for calls: a stream lives long and must not hold any.
	buffers *buffers
	// reserved is the memory that a list answer holds, and body that of the request body.
	reserved, body reservation
}

type exchangeKey struct{}

// exchangeOf gives the exchange of a request's context, which ServeHTTP has set.
func exchangeOf(ctx context.Context) *exchange {
	return ctx.Value(exchangeKey{}).(*exchange)
}

// free ends the exchange; nothing may use its request body or its answer afterwards.
func (x *exchange) free() {
	x.reserved.free()
	x.body.free()
	if x.buffers != nil {
		x.buffers.free()
	}
}

// buffers hold what one call needs for a while, so that calls share it.
type buffers struct {
	request Request
	written Answer
	// body is the request body.
	body bytes.Buffer
	// answer is what the answer is encoded into, and message the answer of a hub in this process.
	answer, message []byte
}

// maxKept is the largest buffer that is kept for the next call.
const maxKept = 256 << 10

var bufferPool = sync.Pool{New: func() any { return new(buffers) }}

func newBuffers() *buffers {
	return bufferPool.Get().(*buffers)
}

func (b *buffers) free() {
	// They hold what others have allocated.
	b.request, b.written = Request{}, Answer{}
	if max(b.body.Cap(), cap(b.answer), cap(b.message)) > maxKept {
		return
	}
	b.body.Reset()
	bufferPool.Put(b)
}

// WriteHeader implements http.ResponseWriter.
func (x *exchange) WriteHeader(status int) {
	x.answered = true
	x.status = cmp.Or(x.status, status)
	x.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (x *exchange) Write(b []byte) (int, error) {
	x.answered = true
	x.status = cmp.Or(x.status, http.StatusOK)
	return x.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// noDeadline takes a deadline away.
var noDeadline time.Time

// The deadlines below are set only where the connection has some; a recorder in a test has none,
// and a connection that is closed fails at its next use anyway.

func setWriteDeadline(w http.ResponseWriter, t time.Time) {
	_ = http.NewResponseController(w).SetWriteDeadline(t)
}

func setReadDeadline(w http.ResponseWriter, t time.Time) {
	_ = http.NewResponseController(w).SetReadDeadline(t)
}
