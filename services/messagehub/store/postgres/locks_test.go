package postgres_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/pkg/store/trip"
	"example.com/hub/services/messagehub/internal/inbox"
)

const (
	selectFirst = `SELECT message_id FROM inbox ORDER BY message_id LIMIT 1 FOR UPDATE`
	selectLast  = `SELECT message_id FROM inbox ORDER BY message_id DESC LIMIT 1 FOR UPDATE`
)

// readers are ways to read the records of ann, of messages with one id of two apps, the later app first, by the
// names of their statements.
func readers(t *testing.T, dsn, deadlockTimeout string) (ways map[string]func() error, switched *atomic.Int64) {
	t.Helper()
	s := open(t, pgtest.With(dsn, "deadlock_timeout", deadlockTimeout))
	for _, app := range []string{"wms", "erp"} {
		p := pushTo(0)
		p.ClientID, p.Targets = app, []string{"ann"}
		pushOnce(t, s, p, 1)
	}
	upTo := watermark(t, s, "ann")
	switched = new(atomic.Int64)
	read := inbox.MarkReadParams{Stamp: inbox.Stamp{ClientID: "portal", Now: start}, SourceMessageID: "message", Username: "ann"}
	all := func() error {
		done, err := s.MarkAllRead(t.Context(), inbox.MarkAllReadParams{
			Stamp: inbox.Stamp{ClientID: "portal", Now: start}, Username: "ann", UpTo: upTo, Rows: 100, Done: below,
		})
		switched.Add(done.Switched)
		return err
	}
	one := func() error {
		result, err := s.MarkRead(t.Context(), read)
		switched.Add(int64(result.Switched))
		return err
	}
	several := func() error {
		other := read
		other.Username = "bob"
		outcomes, err := s.MarkReadShared(t.Context(), []inbox.MarkReadParams{other, read})
		if errors.Is(err, trip.Alone{}) {
			return one()
		}
		for _, o := range outcomes {
			switched.Add(int64(o.Result.Switched))
		}
		return err
	}
	return map[string]func() error{"update_all_read": all, "update_read": one, "update_reads": several}, switched
}

// TestReadersWaitForEachOtherInOneOrder has a read-all and mark-reads of the same records, whose server would
// not notice for a minute that they wait for each other.
func TestReadersWaitForEachOtherInOneOrder(t *testing.T) {
	dsn := pgtest.Schema(t)
	ways, switched := readers(t, dsn, "60000")
	holder, err := pgtest.Connect(t, dsn).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.Exec(t.Context(), selectFirst); err != nil {
		t.Fatal(err)
	}
	var group errgroup.Group
	for _, query := range []string{"update_all_read", "update_read", "update_reads"} {
		group.Go(ways[query])
		pgtest.Waiting(t, dsn, query, 1)
	}
	end(t, holder)
	if err := group.Wait(); err != nil || switched.Load() != 2 {
		t.Errorf("%d switched, %v", switched.Load(), err)
	}
}

// TestReadersInADeadlockAreRepeated has another transaction that locks the records the other way round.
func TestReadersInADeadlockAreRepeated(t *testing.T) {
	for _, query := range []string{"update_all_read", "update_read", "update_reads"} {
		t.Run(query, func(t *testing.T) {
			dsn := pgtest.Schema(t)
			ways, switched := readers(t, dsn, pgtest.Patience)
			if err := pgtest.Deadlock(t, dsn, query, selectFirst, selectLast, ways[query]); err != nil || switched.Load() != 2 {
				t.Errorf("%d switched, %v", switched.Load(), err)
			}
		})
	}
}
