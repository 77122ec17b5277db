package pg_test

import (
	"context"
	"errors"
	"testing"

	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/store/pg/pgtest"
)

// TestHeavyCallsLeaveConnections has more heavy calls than connections, all of which wait for a lock.
func TestHeavyCallsLeaveConnections(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Schema(t)
	db := open(t, dsn, 4)
	beside := pgtest.Connect(t, dsn)
	unlock := lock(t, dsn)
	heavy := func(ctx context.Context) error {
		return pg.Failed("visit", db.CallHeavy(ctx, func(conn pg.Session, _ bool) error {
			_, err := conn.Exec(ctx, "-- name: insert_visit\nINSERT INTO visit (who) VALUES ('heavy')")
			return err
		}))
	}
	var running, waiting errgroup.Group
	for range 2 {
		running.Go(func() error { return heavy(t.Context()) })
	}
	waitForWaiters(t, beside, 2)
	for range 8 {
		waiting.Go(func() error {
			if err := heavy(t.Context()); fault.KindOf(err) != fault.Unavailable {
				return errors.New("a heavy call without a place was not refused")
			}
			return nil
		})
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := heavy(canceled); !errors.Is(err, context.Canceled) || fault.KindOf(err) == fault.Unavailable {
		t.Errorf("the caller who left got %v", err)
	}
	for range 20 {
		err := db.Call(t.Context(), func(conn pg.Session, _ bool) error {
			_, err := conn.Exec(t.Context(), "-- name: ping\nSELECT 1 FROM visit LIMIT 1")
			return err
		})
		if err != nil {
			t.Errorf("another call: %v", err)
		}
	}
	if err := waiting.Wait(); err != nil {
		t.Error(err)
	}
	if s := db.Stats(); s.Heavy != 2 || s.HeavyMax != 2 || s.HeavyTimeouts != 8 || s.Timeouts != 0 {
		t.Errorf("stats are %+v", s)
	}
	unlock()
	if err := running.Wait(); err != nil {
		t.Errorf("the heavy calls under way: %v", err)
	}
	if err := heavy(t.Context()); err != nil || db.Stats().Heavy != 0 {
		t.Errorf("afterwards: %v, %+v", err, db.Stats())
	}
}
