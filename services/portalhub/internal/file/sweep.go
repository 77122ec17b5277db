package file

import (
	"context"
	"math/rand/v2"
	"time"

	"example.com/hub/pkg/lifecycle"
)

const (
	// leftAge is the age from which something that no upload can still need counts as left behind.
	leftAge = time.Hour
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

// Sweep removes blobs that no file names, and drafts that nobody writes, once they are an hour old.
func (s *Service) Sweep(ctx context.Context) error {
	err := s.deps.Blobs.Old(ctx, s.deps.Clock().Add(-leftAge), func(hashes []string) error {
		unnamed, err := s.deps.Store.ListUnnamed(ctx, ListUnnamedParams{hashes})
		if err != nil {
			return err
		}
		for _, hash := range unnamed {
			removed, err := s.remove(ctx, hash)
			if err != nil {
				return err
			}
			if removed {
				s.removed.Add(1)
			}
		}
		return nil
	})
	if err == nil {
		s.swept.Store(s.deps.Clock().Unix())
	}
	return err
}
