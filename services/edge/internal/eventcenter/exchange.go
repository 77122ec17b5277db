package eventcenter

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/hub/pkg/telemetry/requestid"
	"example.com/hub/pkg/telemetry/tracing"
	"example.com/hub/services/edge/internal/front"
)

const (
	// maxSilence is how long no byte of a body may move, either way.
	maxSilence = time.Minute
	// maxTime is from the beginning of a request to the end of its answer.
	maxTime = time.Hour
	// failTime is for writing a failure of Hub's own.
	failTime = 10 * time.Second
	// leftoverTime is how long the rest of a body is read that nobody wants, so that its sender hears the answer.
	leftoverTime = time.Second
)

// Why an exchange was ended by Hub.
var (
	errSilent   = errors.New("no byte moved for a minute")
	errTooLong  = errors.New("it took longer than an hour")
	errStopping = errors.New("the edge stops")
	errNoBody   = errors.New("the request body does not arrive")
	errOver     = errors.New("the request body is too large")
)

// past is a deadline that has passed.
var past = time.Unix(1, 0)

// exchange is a request and its answer. It is the response writer of the proxy.
type exchange struct {
	center *Center
	client string
	target *url.URL
	in     *http.Request
	span   tracing.Span

	w       http.ResponseWriter
	header  http.Header // of the answer until that begins, then its trailers
	body    body
	cancel  context.CancelCauseFunc
	silence *time.Timer
	release []func() bool // what else ends with the exchange

	// endless is set before an answer begins whose length nobody knows, and answering with its beginning.
	endless, answering atomic.Bool
	// whole says that the answer is complete, gone that its reader is not there any more. status is that of the
	// event center, or 0.
	whole, gone bool
	status      int
	failed      result

	mu    sync.Mutex // guards what follows, and the deadlines of the connection
	ended bool
}

type exchangeKey struct{}

// exchangeOf gives the exchange of a request, which begin has put there.
func exchangeOf(ctx context.Context) *exchange {
	return ctx.Value(exchangeKey{}).(*exchange)
}

// begin takes a place for an exchange, or gives nil when there is none.
func (c *Center) begin(w http.ResponseWriter, r *http.Request, client string, target *url.URL) *exchange {
	x := &exchange{center: c, client: client, target: target, w: w, header: http.Header{}}
	if !c.enter(x) {
		c.counts[refused].Add(1)
		return nil
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(r.Context(), exchangeKey{}, x))
	x.cancel = cancel
	x.in = r.WithContext(ctx)
	if len(r.Header["Upgrade"]) > 0 {
		// The proxy looks at it before it can be taken away.
		x.in.Header = r.Header.Clone()
		delete(x.in.Header, "Upgrade")
	}
	x.body = body{x: x, from: r.Body, announced: r.ContentLength, left: c.deps.Config.MaxBody}
	x.body.done.Store(r.ContentLength == 0)
	if r.ContentLength != 0 {
		x.in.Body = &x.body
		// An answer may begin before the end of its request. A test's recorder cannot do that.
		_ = http.NewResponseController(w).EnableFullDuplex()
	}
	front.SetReadDeadline(w, front.NoDeadline)
	front.SetWriteDeadline(w, front.NoDeadline)
	x.silence = time.AfterFunc(c.silence, func() { x.giveUp(errSilent) })
	total := time.AfterFunc(maxTime, func() { x.giveUp(errTooLong) })
	x.release = []func() bool{x.silence.Stop, total.Stop, context.AfterFunc(ctx, x.unblock)}
	return x
}

// giveUp ends the exchange, by the caller's fault where it is the caller who is waited for.
func (x *exchange) giveUp(cause error) {
	if x.body.waiting.Load() {
		cause = errNoBody
	}
	x.cancel(cause)
}

// unblock wakes whoever waits for the caller, once the exchange is to end.
func (x *exchange) unblock() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended {
		return
	}
	front.SetReadDeadline(x.w, past)
	if x.answering.Load() {
		front.SetWriteDeadline(x.w, past)
	}
}

// moved notes that a byte moved.
func (x *exchange) moved() { x.silence.Reset(x.center.silence) }

// Header implements http.ResponseWriter.
func (x *exchange) Header() http.Header { return x.header }

// WriteHeader implements http.ResponseWriter. Interim answers stay here: they come before anything is known of
// the answer, and the server of the edge itself tells callers to go on.
func (x *exchange) WriteHeader(status int) {
	if status < http.StatusOK {
		return
	}
	trailers := answerableNames(x.header["Trailer"])
	delete(x.header, "Trailer")
	delete(x.header, requestid.Header)
	header := x.w.Header()
	delete(header, "Hub-Origin")
	delete(header, "Cache-Control")
	for name, values := range x.header {
		header[name] = append(header[name], values...)
	}
	header["X-Content-Type-Options"] = []string{"nosniff"}
	header["Content-Security-Policy"] = []string{"sandbox"}
	if len(trailers) > 0 {
		header["Trailer"] = []string{strings.Join(trailers, ", ")}
	}
	if !x.body.done.Load() {
		// The rest of the body must not be taken for the next request.
		header["Connection"] = []string{"close"}
	}
	x.header = http.Header{}
	x.answering.Store(true)
	x.status = status
	x.w.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (x *exchange) Write(b []byte) (int, error) {
	n, err := x.w.Write(b)
	x.gone = x.gone || err != nil
	x.moved()
	return n, err //nolint:wrapcheck // the proxy only looks whether it is nil
}

// Unwrap lets http.ResponseController reach the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.w }

// came notes an answer before its header is passed on.
func (x *exchange) came(r *http.Response) {
	x.moved()
	x.endless.Store(r.ContentLength < 0)
}

// finish passes on the trailers of an answer that is complete.
func (x *exchange) finish() {
	if x.failed != none {
		return
	}
	x.whole = true
	for name, values := range x.header {
		if answerable(strings.TrimPrefix(name, http.TrailerPrefix)) {
			x.w.Header()[name] = values
		}
	}
}

// end counts the exchange and gives its place back. It comes also when the proxy panics to cut the answer.
func (x *exchange) end() {
	for _, release := range x.release {
		release()
	}
	cause := context.Cause(x.in.Context())
	x.cancel(nil)
	x.mu.Lock()
	x.ended = true
	if !x.body.done.Load() {
		front.SetReadDeadline(x.w, time.Now().Add(leftoverTime))
	}
	x.mu.Unlock()
	r := x.result(cause)
	x.span.Replied(x.status, r == unreachable || r == late || r == broken)
	x.center.leave(x, r)
	if r == broken && x.failed == none {
		x.center.deps.Logger.WarnContext(x.in.Context(), "answer of the event center cut", "cause", cmp.Or(cause, io.ErrUnexpectedEOF))
	}
}

// body is that of a request. It is read by one goroutine at a time.
type body struct {
	x    *exchange
	from io.ReadCloser
	// announced is its length in bytes, or negative; read is what has come, left what may still come.
	announced, read, left int64
	// waiting says that the caller is waited for, lost that the caller failed, over that there was too much, and
	// done that all has come.
	waiting, lost, over, done atomic.Bool
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	b.waiting.Store(true)
	n, err := b.from.Read(p)
	b.waiting.Store(false)
	b.x.moved()
	b.read, b.left = b.read+int64(n), b.left-int64(n)
	switch {
	case b.left < 0:
		b.over.Store(true)
		return 0, errOver
	case errors.Is(err, io.EOF), b.read == b.announced:
		b.done.Store(true)
	case err != nil:
		b.lost.Store(true)
	}
	return n, err //nolint:wrapcheck // io.EOF must stay what it is
}

// Close implements io.Closer.
func (b *body) Close() error { return b.from.Close() } //nolint:wrapcheck // as it is
