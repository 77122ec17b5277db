package postgres

import (
	"context"
	"math"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/messagehub/internal/inbox"
)

// MarkAllRead decides in one statement. Records are locked in the order of their keys; what still waits for
// each other, the server undoes. When that goes on, it switches one record, which can wait for nobody who
// waits for it. After a lost connection it is like MarkRead.
func (s *Store) MarkAllRead(ctx context.Context, p inbox.MarkAllReadParams) (inbox.AllRead, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	done, err := s.markAllRead(ctx, p)
	if pg.IsDeadlock(err) {
		p.Rows = 1
		done, err = s.markAllRead(ctx, p)
	}
	return done, pg.Failed("mark all read", err)
}

func (s *Store) markAllRead(ctx context.Context, p inbox.MarkAllReadParams) (done inbox.AllRead, err error) {
	err = s.Call(ctx, func(conn pg.Session, unknown bool) error {
		var err error
		if done, err = markBatch(ctx, conn, p); err == nil && unknown {
			done.Switched, err = countedRead(ctx, conn, p)
		}
		return err
	})
	return done, err
}

func markBatch(ctx context.Context, conn pg.Session, p inbox.MarkAllReadParams) (inbox.AllRead, error) {
	running := make([]int64, len(p.UpTo.Running))
	for i, n := range p.UpTo.Running {
		running[i] = n & math.MaxUint32
	}
	rows, err := conn.Query(ctx, updateAllRead, p.Now, p.ClientID, p.Username, p.UpTo.At, p.UpTo.Body, p.UpTo.End, running,
		p.SourceAppID, p.Category, p.Rows, p.Done.Below.At, p.Done.Below.Body,
		p.Done.Newest, p.Done.Position.Transaction, p.Done.Position.Sequence)
	if err != nil {
		return inbox.AllRead{}, err
	}
	var done inbox.AllRead
	var found int
	var switched int64
	err = scanOne(rows, &found, &done.Below.At, &done.Below.Body, &switched,
		&done.Newest, &done.Position.Transaction, &done.Position.Sequence)
	done.Switched, done.End = p.Done.Switched+switched, found < p.Rows
	return done, err
}

// countedRead gives how many records all runs of a read-all switched.
func countedRead(ctx context.Context, conn pg.Session, p inbox.MarkAllReadParams) (n int64, err error) {
	rows, err := conn.Query(ctx, countAllRead, p.Now, p.ClientID, p.Username)
	if err != nil {
		return 0, err
	}
	return n, scanOne(rows, &n)
}
