package postgres_test

import (
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/messagehub/internal/inbox"
)

const (
	selectFirst = `SELECT message_id FROM inbox ORDER BY message_id LIMIT 1 FOR UPDATE`
	selectLast  = `SELECT message_id FROM inbox ORDER BY message_id DESC LIMIT 1 FOR UPDATE`
)

// readers are two ways to read the records of ann, of messages with one id of two apps, the later app first.
func readers(t *testing.T, dsn, deadlockTimeout string) (all, one func() error, switched *atomic.Int64) {
	t.Helper()
	s := open(t, pgtest.With(dsn, "deadlock_timeout", deadlockTimeout))
	for _, app := range []string{"wms", "erp"} {
		p := pushTo(0)
		p.ClientID, p.Targets = app, []string{"ann"}
		pushOnce(t, s, p, 1)
	}
	upTo := watermark(t, s, "ann")
	switched = new(atomic.Int64)
	all = func() error {
		done, err := s.MarkAllRead(t.Context(), inbox.MarkAllReadParams{
			Stamp: inbox.Stamp{ClientID: "portal", Now: start}, Username: "ann", UpTo: upTo, Rows: 100, Done: below,
		})
		switched.Add(done.Switched)
		return err
	}
	one = func() error {
		result, err := s.MarkRead(t.Context(), inbox.MarkReadParams{
			Stamp: inbox.Stamp{ClientID: "portal", Now: start}, SourceMessageID: "message", Username: "ann",
		})
		switched.Add(int64(result.Switched))
		return err
	}
	return all, one, switched
}

// TestReadersWaitForEachOtherInOneOrder has a read-all and a mark read of the same records, whose server would
// not notice for a minute that they wait for each other.
func TestReadersWaitForEachOtherInOneOrder(t *testing.T) {
	dsn := pgtest.Schema(t)
	all, one, switched := readers(t, dsn, "60000")
	holder, err := pgtest.Connect(t, dsn).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.Exec(t.Context(), selectFirst); err != nil {
		t.Fatal(err)
	}
	var group errgroup.Group
	group.Go(all)
	pgtest.Waiting(t, dsn, "update_all_read", 1)
	group.Go(one)
	pgtest.Waiting(t, dsn, "update_read", 1)
	end(t, holder)
	if err := group.Wait(); err != nil || switched.Load() != 2 {
		t.Errorf("%d switched, %v", switched.Load(), err)
	}
}

// TestReadersInADeadlockAreRepeated has another transaction that locks the records the other way round.
func TestReadersInADeadlockAreRepeated(t *testing.T) {
	for name, query := range map[string]string{"all": "update_all_read", "one": "update_read"} {
		t.Run(name, func(t *testing.T) {
			dsn := pgtest.Schema(t)
			all, one, switched := readers(t, dsn, pgtest.Patience)
			call := map[string]func() error{"all": all, "one": one}[name]
			if err := pgtest.Deadlock(t, dsn, query, selectFirst, selectLast, call); err != nil || switched.Load() != 2 {
				t.Errorf("%d switched, %v", switched.Load(), err)
			}
		})
	}
}
