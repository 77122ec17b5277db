package postgres_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/messagehub/internal/outbox"
	"example.com/hub/services/messagehub/store/postgres"
)

// hold asks for the lease; what is left is checked by its range.
func hold(t *testing.T, s *postgres.Store, holder string, period time.Duration, settled uint64) outbox.Lease {
	t.Helper()
	lease, err := s.Hold(t.Context(), outbox.HoldParams{
		Holder: holder, For: period, Settled: bus.Position{Transaction: settled, Sequence: int64(settled)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

func wantLease(t *testing.T, what string, got outbox.Lease, held bool, settled uint64) {
	t.Helper()
	want := outbox.Lease{Held: held, Settled: bus.Position{Transaction: settled, Sequence: int64(settled)}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(outbox.Lease{}, "Left")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
	if held != (got.Left == 0) || got.Left > time.Minute {
		t.Errorf("%s: %v is left", what, got.Left)
	}
}

func TestLeaseHasOneHolder(t *testing.T) {
	s := open(t, pgtest.Schema(t))
	wantLease(t, "the first", hold(t, s, "a", time.Minute, 9), true, 0)
	wantLease(t, "another", hold(t, s, "b", time.Minute, 8), false, 0)
	wantLease(t, "a renewal", hold(t, s, "a", time.Minute, 7), true, 7)
	wantLease(t, "another sees the position", hold(t, s, "b", time.Minute, 8), false, 7)
	wantLease(t, "a renewal back", hold(t, s, "a", time.Nanosecond, 3), true, 3)
	wantLease(t, "after the end", hold(t, s, "b", time.Minute, 8), true, 3)
	wantLease(t, "the old holder", hold(t, s, "a", time.Minute, 99), false, 3)
}

func TestLeaseIsReleasedByItsHolderOnly(t *testing.T) {
	s := open(t, pgtest.Schema(t))
	hold(t, s, "a", time.Minute, 0)
	if err := s.Release(t.Context(), "b", bus.Position{Transaction: 5, Sequence: 5}); err != nil {
		t.Fatal(err)
	}
	wantLease(t, "released by another", hold(t, s, "b", time.Minute, 8), false, 0)
	if err := s.Release(t.Context(), "a", bus.Position{Transaction: 6, Sequence: 6}); err != nil {
		t.Fatal(err)
	}
	wantLease(t, "released", hold(t, s, "b", time.Minute, 8), true, 6)
}
