package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// BodyWeight is how often a request body counts in the memory of all that are under way: as it came,
	// in a buffer that grows in steps, as a message, and as that is sent to its hub.
	BodyWeight = 4
	// bodyStep is for how many bytes room is reserved at first; then it is for as many again as have come.
	// So nobody holds room for what it only announces.
	bodyStep = 16 << 10
)

// errNoBodyMemory is the cause of a body that had to wait for room for too long.
var errNoBodyMemory = errors.New("no room for another request body")

// readBody reads the request body into the exchange; nil means that it is there. An empty body needs
// no content type.
func (h *Handler) readBody(x *exchange, r *http.Request) *failure {
	tooLarge := &failure{
		http.StatusRequestEntityTooLarge,
		fmt.Sprintf("the request body must be at most %d bytes", h.maxBody),
	}
	if r.ContentLength > h.maxBody {
		return tooLarge
	}
	if r.ContentLength > 0 && !isJSON(r.Header) {
		return &notJSON
	}
	err := h.receive(r.Context(), x, r)
	body := &x.buffers.body
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return tooLarge
	case errors.Is(err, errNoBodyMemory):
		h.logger.WarnContext(r.Context(), "request body not read", "cause", err)
		x.Header().Set("Connection", "close")
		return &unavailable
	case err != nil:
		x.Header().Set("Connection", "close")
		return &failure{http.StatusBadRequest, "the request body did not arrive"}
	case r.ContentLength < 0 && body.Len() > 0 && !isJSON(r.Header):
		return &notJSON
	}
	x.body.settle(BodyWeight * body.Len())
	// net/http now waits for the connection to break, which a deadline that passes would look like.
	setReadDeadline(x, noDeadline)
	return nil
}

// receive reads the body, and reserves room before each step. It waits for room for callTimeout in all.
func (h *Handler) receive(ctx context.Context, x *exchange, r *http.Request) error {
	x.body = reservation{budget: h.bodies}
	body := &x.buffers.body
	limited := &io.LimitedReader{R: http.MaxBytesReader(x.ResponseWriter, r.Body, h.maxBody)}
	patience := time.Now().Add(h.callTimeout)
	most := h.maxBody
	if r.ContentLength >= 0 {
		most = r.ContentLength
	}
	for {
		got := int64(body.Len())
		step := min(max(bodyStep, got), most-got)
		if err := x.body.grow(ctx, BodyWeight*(got+step)-x.body.bytes, time.Until(patience)); err != nil {
			return errNoBodyMemory
		}
		// One byte more tells the end from a body that is too large.
		limited.N = step + 1
		body.Grow(int(step) + bytes.MinRead)
		if n, err := body.ReadFrom(limited); err != nil || n <= step {
			return err //nolint:wrapcheck // it is the connection's
		}
	}
}
