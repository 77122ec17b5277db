package file

import (
	"context"
	"math/rand/v2"
	"time"

	"example.com/hub/pkg/lifecycle"
)

const (
	// leftAge is the age from which no upload can still need something, so that it counts as left behind.
	leftAge = time.Hour
	// maxLeft is how many uploads are looked at together.
	maxLeft = 500
	// sweepInterval is from the end of a sweep to the next one, and firstSweep spreads those of replicas that
	// start together.
	sweepInterval, firstSweep = time.Hour, time.Minute
)

// Run sweeps soon after the start and every hour, until ctx ends. It goes on while database or blobs are away,
// and returns nil. Several processes may run it on one place.
func (s *Service) Run(ctx context.Context) error {
	for wait := rand.N(firstSweep); lifecycle.Sleep(ctx, wait); wait = sweepInterval + rand.N(firstSweep) {
		if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.deps.Logger.WarnContext(ctx, "what crashes have left of uploads is not removed", "error", err)
		}
	}
	return nil
}

// Sweep removes what uploads have left that began an hour ago and never came to their end. It removes only what the
// store names: in a place that has files of another Hub, or of a later time than a restored database, they stay.
func (s *Service) Sweep(ctx context.Context) error {
	before := s.deps.Clock().Add(-leftAge)
	if err := s.deps.Blobs.RemoveDrafts(ctx, before); err != nil {
		return err
	}
	for more := true; more; {
		left, err := s.deps.Store.ListLeft(ctx, ListLeftParams{Before: before, Limit: maxLeft})
		if err != nil {
			return err
		}
		for _, f := range left {
			remove := func(ctx context.Context) error { return s.deps.Blobs.Remove(ctx, f.Hash) }
			if err := s.deps.Store.DropFile(ctx, DropParams{ID: f.ID, Hash: f.Hash, Remove: remove}); err != nil {
				return err
			}
			s.removed.Add(1)
		}
		more = len(left) == maxLeft
	}
	s.swept.Store(s.deps.Clock().Unix())
	return nil
}
