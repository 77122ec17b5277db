package rest

import (
	"bytes"
	"context"
	"sync"

	"example.com/hub/services/edge/internal/front"
)

// exchange is what one request holds until its answer is written.
type exchange struct {
	front.Exchange
	// route is Handler.unknown until the request is routed.
	route *route
	// audited is nil but for the call of an administrator.
	audited *audited
	// buffers is nil but for calls: a stream lives long and must not hold any.
	buffers *buffers
	// reserved is the memory that a list answer holds, and body that of the request body.
	reserved, body front.Reservation
}

type exchangeKey struct{}

// exchangeOf gives the exchange of a request's context, which ServeHTTP has set.
func exchangeOf(ctx context.Context) *exchange {
	return ctx.Value(exchangeKey{}).(*exchange)
}

// free ends the exchange; nothing may use its request body or its answer afterwards.
func (x *exchange) free() {
	x.reserved.Free()
	x.body.Free()
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
