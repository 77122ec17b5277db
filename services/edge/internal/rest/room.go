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

const (
	// MaxRecord is more bytes than the largest record of a list takes on the wire: an inbox message of
	// 64 KiB of content and 20 actions, whose labels and URLs are 2,176 characters of up to 4 bytes each,
	// comes to 242 KiB with its ids, names and title.
	MaxRecord = 256 << 10
	// maxTodo is the same of a todo, whose texts are 9,900 characters at most.
	maxTodo = 48 << 10
)

var errNoRoom = status.Error(codes.Unavailable, "no room for another list answer")

// reservation is the memory that a list answer or a request body may take, out of the room that all of
// them share. The zero value is none.
type reservation struct {
	room  *semaphore.Weighted
	bytes int64
}

// settle makes the reservation that of the encoded answer: nearly always less, and more for the largest
// records when they are full of characters that JSON escapes. It is false when there is no room for more.
func (r *reservation) settle(bytes int) bool {
	if r.room == nil {
		return true
	}
	switch over := r.bytes - int64(bytes); {
	case over > 0:
		r.room.Release(over)
	case over < 0 && !r.room.TryAcquire(-over):
		return false
	}
	r.bytes = int64(bytes)
	return true
}

// grow waits for room for more bytes; an error means that there was none in time.
func (r *reservation) grow(ctx context.Context, bytes int64, wait time.Duration) error {
	if bytes > 0 && !r.room.TryAcquire(bytes) {
		ctx, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		if err := r.room.Acquire(ctx, bytes); err != nil {
			return err //nolint:wrapcheck // it is that of the context
		}
	}
	r.bytes += bytes
	return nil
}

func (r *reservation) free() {
	if r.room != nil {
		r.room.Release(r.bytes)
	}
}

// reserve waits for room for a page, as nobody knows how large its records are: as if each was the
// largest. When the answer is encoded, only its own size stays reserved, until the last byte is
// written, since a slow client keeps the answer in memory that long.
func (l *limits) reserve(ctx context.Context, size *int64, record int64) error {
	n := int64(field.DefaultPageSize)
	if size != nil {
		n = max(*size, 1)
	}
	bytes := min(n, l.maxPageSize) * record
	if err := l.room.Acquire(ctx, bytes); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return errNoRoom
		}
		return status.FromContextError(err).Err()
	}
	exchangeOf(ctx).reserved = reservation{l.room, bytes}
	return nil
}
