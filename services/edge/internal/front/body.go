package front

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"
)

const (
	// BodyWeight is how often a request body counts in the memory of all that are under way: as it came,
	// in a buffer that grows in steps, as a message, and as that is sent to its hub.
	BodyWeight = 4
	// smallBody is the most that is read of a body without a reservation. So ordinary bodies never wait for
	// large ones, and nobody holds memory for what it only announces.
	smallBody = 16 << 10
)

// errNoBodyMemory is the cause of a body that had to wait for memory for too long.
var errNoBodyMemory = errors.New("the memory budget of request bodies is used up")

// Bodies reads the JSON bodies of requests.
type Bodies struct {
	// Max is the largest body in bytes.
	Max int64
	// Memory is that of all bodies that are under way; at least BodyWeight times Max.
	Memory Budget
	// Patience bounds how long a body waits for memory.
	Patience time.Duration
	Logger   *slog.Logger
}

// Read reads a body into a buffer; nil means that it is there, or that there is none. The reservation is
// for as long as the body is needed, and must be freed in any case. An empty body needs no content type.
func (b *Bodies) Read(x *Exchange, r *http.Request, body *bytes.Buffer, held *Reservation) *Failure {
	if r.ContentLength > b.Max {
		return b.tooLarge()
	}
	if r.ContentLength > 0 && !isJSON(r.Header) {
		return &NotJSON
	}
	err := b.receive(x, r, body, held)
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return b.tooLarge()
	}
	switch {
	case errors.Is(err, errNoBodyMemory):
		b.Logger.WarnContext(r.Context(), "request body not read", "cause", err)
		x.Header().Set("Connection", "close")
		return &Unavailable
	case err != nil:
		x.Header().Set("Connection", "close")
		return &Failure{http.StatusBadRequest, "the request body did not arrive"}
	case r.ContentLength < 0 && body.Len() > 0 && !isJSON(r.Header):
		return &NotJSON
	}
	held.Settle(BodyWeight * body.Len())
	// net/http now waits for the connection to break, which a deadline that passes would look like.
	SetReadDeadline(x, NoDeadline)
	return nil
}

func (b *Bodies) tooLarge() *Failure {
	return &Failure{
		http.StatusRequestEntityTooLarge,
		fmt.Sprintf("the request body must be at most %d bytes", b.Max),
	}
}

// receive reads the body. Once it is no small one, memory is reserved for all that may follow, in one
// piece: bodies that held a part each and waited for the rest would wait for each other.
func (b *Bodies) receive(x *Exchange, r *http.Request, body *bytes.Buffer, held *Reservation) error {
	most := b.Max
	if r.ContentLength >= 0 {
		most = r.ContentLength
	}
	limited := &io.LimitedReader{R: http.MaxBytesReader(x.ResponseWriter, r.Body, b.Max)}
	read := func(step int64) (more bool, err error) {
		// One byte more tells the end from a body that goes on.
		limited.N = step + 1
		body.Grow(int(limited.N) + bytes.MinRead)
		n, err := body.ReadFrom(limited)
		return n > step, err
	}
	if more, err := read(min(most, smallBody)); err != nil || !more {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), b.Patience)
	defer cancel()
	var err error
	if *held, err = b.Memory.Reserve(ctx, BodyWeight*most); err != nil {
		return errNoBodyMemory
	}
	_, err = read(most - int64(body.Len()))
	return err
}

// isJSON tells whether the headers describe a plain JSON body. No content type counts as JSON.
func isJSON(header http.Header) bool {
	for _, coding := range header.Values("Content-Encoding") {
		if !strings.EqualFold(coding, "identity") {
			return false
		}
	}
	for _, value := range header.Values("Content-Type") {
		if value == ContentType {
			continue
		}
		media, _, err := mime.ParseMediaType(value)
		if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) || media != "application/json" {
			return false
		}
	}
	return true
}
