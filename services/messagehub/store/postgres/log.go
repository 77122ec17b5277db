package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/messagehub/internal/inbox"
	"example.com/hub/services/messagehub/internal/outbox"
)

var _ outbox.Log = (*Store)(nil)

// kinds are those of event_log. A later version may write others; their rows have no events here.
var kinds = map[int16]bus.Kind{1: bus.Message, 2: bus.Read}

// read runs a statement within the time of a call. take, which may run again, starts anew each time.
func (s *Store) read(ctx context.Context, take func(rows pgx.Rows) error, sql string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return s.Call(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		return take(rows)
	})
}

// Hold implements outbox.Log. The lease is a row, not a lock of the session, so that a pooler may stand
// in between.
func (s *Store) Hold(ctx context.Context, p outbox.HoldParams) (lease outbox.Lease, err error) {
	err = s.read(ctx, func(rows pgx.Rows) error {
		return scanOne(rows, &lease.Held, &lease.Settled.Transaction, &lease.Settled.Sequence, &lease.Left)
	}, updateSweep, p.Holder, p.For, p.Settled.Transaction, p.Settled.Sequence)
	return lease, pg.Failed("hold the sweep", err)
}

// Release implements outbox.Log.
func (s *Store) Release(ctx context.Context, holder string, settled bus.Position) error {
	_, err := s.exec(ctx, releaseSweep, holder, settled.Transaction, settled.Sequence)
	return pg.Failed("release the sweep", err)
}

// Rows implements outbox.Log. All transactions below the watermark have ended: the server numbers a
// transaction before its first write, and those that are under way are above the watermark.
func (s *Store) Rows(ctx context.Context, after bus.Position, limit int) (w outbox.Window, err error) {
	err = s.read(ctx, func(rows pgx.Rows) error {
		w = outbox.Window{}
		var r outbox.Row
		var kind int16
		columns := []any{
			&w.Watermark.Transaction, &w.End, &r.Position.Transaction, &r.Position.Sequence, &r.Age,
			&kind, &r.Events, &r.Body, &r.Time, &r.Username, &r.SourceMessageID,
		}
		_, err := pgx.ForEachRow(rows, columns, func() error {
			if !r.Position.IsZero() {
				r.Kind = kinds[kind]
				w.Rows = append(w.Rows, r)
			}
			return nil
		})
		return err
	}, selectEvents, after.Transaction, after.Sequence, limit)
	return w, pg.Failed("read the event log", err)
}

// Events implements outbox.Log: the events of a push are made from its records, in the order of their
// places, which is that of the targets.
func (s *Store) Events(ctx context.Context, rows []outbox.Row) ([]bus.Frame, error) {
	frames := make([]bus.Frame, len(rows))
	var bodies, places []int64
	for i, r := range rows {
		frames[i].Position = r.Position
		switch r.Kind {
		case bus.Message:
			bodies, places = append(bodies, r.Body), append(places, int64(i))
		case bus.Read:
			e := bus.Event{Kind: bus.Read, User: r.Username, ID: r.SourceMessageID, Time: r.Time}
			frames[i].Events = slices.Repeat([]bus.Event{e}, r.Events)
		}
	}
	if len(bodies) == 0 {
		return frames, nil
	}
	err := s.read(ctx, func(recipients pgx.Rows) error {
		for _, place := range places {
			frames[place].Events = make([]bus.Event, 0, rows[place].Events)
		}
		var place, body, ordinal int64
		e := bus.Event{Kind: bus.Message}
		_, err := pgx.ForEachRow(recipients, []any{&place, &body, &ordinal, &e.User, &e.Time}, func() error {
			e.ID = inbox.RecordID(body, ordinal)
			frames[place].Events = append(frames[place].Events, e)
			return nil
		})
		return err
	}, selectRecipients, bodies, places)
	if err != nil {
		return nil, pg.Failed("read events", err)
	}
	return frames, nil
}

// Since implements outbox.Log.
func (s *Store) Since(ctx context.Context, age time.Duration) (p bus.Position, err error) {
	err = s.read(ctx, func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&p.Transaction, &p.Sequence}, func() error { return nil })
		return err
	}, selectBefore, age)
	return p, pg.Failed("read the event log", err)
}

// Trim implements outbox.Log.
func (s *Store) Trim(ctx context.Context, p outbox.TrimParams) (t outbox.Trimmed, err error) {
	err = s.read(ctx, func(rows pgx.Rows) error {
		return scanOne(rows, &t.Rows, &t.UpTo.Transaction, &t.UpTo.Sequence, &t.Age, &t.Bytes)
	}, deleteEvents, p.After.Transaction, p.After.Sequence, p.UpTo.Transaction, p.UpTo.Sequence, p.Age, p.Limit)
	return t, pg.Failed("trim the event log", err)
}

// exec runs a statement within the time of a call and gives the number of rows that it changed.
func (s *Store) exec(ctx context.Context, sql string, args ...any) (changed int, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err = s.Call(ctx, func(conn pg.Session, _ bool) error {
		tag, err := conn.Exec(ctx, sql, args...)
		changed = int(tag.RowsAffected())
		return err
	})
	return changed, err
}
