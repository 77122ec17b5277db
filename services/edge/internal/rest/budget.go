package rest

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/field"
)

var errNoMemory = status.Error(codes.Unavailable, "no room for another list answer")

// reservation is the memory that a list answer or a request body may take, out of the room that all of
// them share. The zero value is none.
type reservation struct {
	budget *semaphore.Weighted
	bytes  int64
}

// settle makes the reservation that of the encoded answer: nearly always less, and more for the largest
// records when they are full of characters that JSON escapes. It is false when there is no room for more.
func (r *reservation) settle(bytes int) bool {
	if r.budget == nil {
		return true
	}
	switch over := r.bytes - int64(bytes); {
	case over > 0:
		r.budget.Release(over)
	case over < 0 && !r.budget.TryAcquire(-over):
		return false
	}
	r.bytes = int64(bytes)
	return true
}

// grow waits for room for more bytes; an error means that there was none in time.
func (r *reservation) grow(ctx context.Context, bytes int64, wait time.Duration) error {
	if bytes > 0 && !r.budget.TryAcquire(bytes) {
		ctx, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		if err := r.budget.Acquire(ctx, bytes); err != nil {
			return err //nolint:wrapcheck // it is that of the context
		}
	}
	r.bytes += bytes
	return nil
}

func (r *reservation) free() {
	if r.budget != nil {
		r.budget.Release(r.bytes)
	}
}

// reserve waits for room for a page, as nobody knows how large its records are: as if each was the
// largest. When the answer is encoded, only its own size stays reserved, until the last byte is
// written, since a slow client keeps the answer in memory that long.
func (l *limits) reserve(ctx context.Context, x *exchange, size *int64, record int64) error {
	n := int64(field.DefaultPageSize)
	if size != nil {
		n = max(*size, 1)
	}
	bytes := min(n, l.maxPageSize) * record
	if err := l.lists.Acquire(ctx, bytes); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return errNoMemory
		}
		return status.FromContextError(err).Err()
	}
	x.reserved = reservation{l.lists, bytes}
	return nil
}
