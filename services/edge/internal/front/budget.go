package front

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// Budget is the memory in bytes that all requests together may take for one purpose.
type Budget struct{ bytes *semaphore.Weighted }

// NewBudget makes a budget.
func NewBudget(bytes int64) Budget { return Budget{semaphore.NewWeighted(bytes)} }

// Reserve waits for memory; an error is that of the context.
func (b Budget) Reserve(ctx context.Context, bytes int64) (Reservation, error) {
	if err := b.bytes.Acquire(ctx, bytes); err != nil {
		return Reservation{}, err //nolint:wrapcheck // it is that of the context
	}
	return Reservation{b, bytes}, nil
}

// Reservation is a part of a budget. The zero value is none.
type Reservation struct {
	budget Budget
	bytes  int64
}

// Settle makes the reservation that of what turned out to be needed: nearly always less, and then it
// succeeds. It is false when more is needed and not there.
func (r *Reservation) Settle(bytes int) bool {
	if r.budget.bytes == nil {
		return true
	}
	switch over := r.bytes - int64(bytes); {
	case over > 0:
		r.budget.bytes.Release(over)
	case over < 0 && !r.budget.bytes.TryAcquire(-over):
		return false
	}
	r.bytes = int64(bytes)
	return true
}

// Free gives the memory back.
func (r *Reservation) Free() {
	if r.budget.bytes != nil {
		r.budget.bytes.Release(r.bytes)
	}
}
