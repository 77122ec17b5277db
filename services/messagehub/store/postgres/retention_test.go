package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/messagehub/internal/outbox"
)

func TestSince(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	since := func(age time.Duration) bus.Position {
		t.Helper()
		p, err := s.Since(t.Context(), age)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := since(0); !p.IsZero() {
		t.Errorf("in an empty log: %v", p)
	}
	var rows []bus.Position
	for i := range 4 {
		rows = append(rows, pushed(t, s, messageTo(fmt.Sprint("m", i), "ann")).Position)
	}
	if _, err := pgtest.Connect(t, dsn).Exec(t.Context(),
		`UPDATE event_log SET created = created - (4 - body_id) * interval '1 minute'`); err != nil {
		t.Fatal(err)
	}
	for age, want := range map[time.Duration]bus.Position{
		0: rows[3], 30 * time.Second: rows[2], 90 * time.Second: rows[1], 150 * time.Second: rows[0], time.Hour: {},
	} {
		if got := since(age); got != want {
			t.Errorf("since %v: %v, want %v", age, got, want)
		}
	}
}

func TestTrim(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	conn := pgtest.Connect(t, dsn)
	var rows []bus.Position
	for i := range 10 {
		rows = append(rows, pushed(t, s, messageTo(fmt.Sprint("m", i), "ann")).Position)
	}
	trim := func(p outbox.TrimParams, want int, upTo bus.Position) {
		t.Helper()
		trimmed, err := s.Trim(t.Context(), p)
		if err != nil || trimmed.Rows != want || trimmed.UpTo != upTo || trimmed.Bytes == 0 {
			t.Errorf("trim %+v: %+v, %v; want %d rows up to %v", p, trimmed, err, want, upTo)
		}
		if old := trimmed.Age > p.Age; old != (upTo != p.After) {
			t.Errorf("trim %+v: the last row was %v old", p, trimmed.Age)
		}
	}
	none := bus.Position{}
	trim(outbox.TrimParams{UpTo: rows[9], Age: time.Hour, Limit: 100}, 0, none)
	if _, err := conn.Exec(t.Context(),
		`UPDATE event_log SET created = created - interval '2 hours' WHERE body_id <> 3`); err != nil {
		t.Fatal(err)
	}
	trim(outbox.TrimParams{UpTo: rows[9], Age: 3 * time.Hour, Limit: 100}, 0, none)
	trim(outbox.TrimParams{Age: time.Hour, Limit: 100}, 0, none)
	trim(outbox.TrimParams{After: rows[0], UpTo: rows[1], Age: time.Hour, Limit: 100}, 1, rows[1])
	trim(outbox.TrimParams{UpTo: rows[9], Age: time.Hour, Limit: 1}, 1, rows[0])
	// The third row is young, so none behind it may be forgotten.
	trim(outbox.TrimParams{After: rows[1], UpTo: rows[5], Age: time.Hour, Limit: 100}, 3, rows[1])
	if diff := cmp.Diff(append(rows[2:3:3], rows[6:]...), positions(window(t, s, bus.Position{}).Rows)); diff != "" {
		t.Errorf("rows left (-want +got):\n%s", diff)
	}
}

// TestRestoredDatabase has rows and a position of another server, which is far ahead.
func TestRestoredDatabase(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	if _, err := pgtest.Connect(t, dsn).Exec(t.Context(), `
		INSERT INTO event_log (xid, kind, events, happened, username, source_message_id)
		SELECT (1::bigint << 40)::text::xid8, 2, 1, now(), 'foreign', 'm1'
		FROM generate_series(1, 5)`); err != nil {
		t.Fatal(err)
	}
	own := pushed(t, s, messageTo("m1", "ann")).Position
	w := window(t, s, bus.Position{})
	if diff := cmp.Diff([]bus.Position{own}, positions(w.Rows)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if w.End >= 1<<40 {
		t.Errorf("the database says that it has reached %d", w.End)
	}
	if p, err := s.Since(t.Context(), 0); err != nil || p != own {
		t.Errorf("since: %v, %v; want %v", p, err, own)
	}
	for _, want := range []int{3, 2, 0} {
		if got, err := s.Trim(t.Context(), outbox.TrimParams{UpTo: own, Age: time.Hour, Limit: 3}); err != nil || got.Rows != want {
			t.Errorf("trim: %+v, %v; want %d rows", got, err, want)
		}
	}
}

// BenchmarkTrim deletes a log of a million old rows as the sweep does, with as long a rest after each batch,
// while other connections write to it, each row in a transaction of its own. It reports both rates.
func BenchmarkTrim(b *testing.B) {
	const old = 1_000_000
	for b.Loop() {
		b.StopTimer()
		dsn := pgtest.Database(b)
		s := open(b, dsn)
		var p outbox.TrimParams
		if err := pgtest.Connect(b, dsn).QueryRow(b.Context(), `
			WITH filled AS (
				INSERT INTO event_log (created, kind, events, body_id)
				SELECT now() - interval '2 hours', 1, 1, n FROM generate_series(1, $1) AS n
				RETURNING xid, seq
			)
			SELECT max(xid), max(seq) FROM filled`, old).Scan(&p.UpTo.Transaction, &p.UpTo.Sequence); err != nil {
			b.Fatal(err)
		}
		p.Age, p.Limit = time.Hour, 5000
		ctx, cancel := context.WithCancel(b.Context())
		var written atomic.Int64
		var writers sync.WaitGroup
		for range 4 {
			conn := pgtest.Connect(b, dsn)
			writers.Go(func() {
				for ctx.Err() == nil {
					if _, err := conn.Exec(ctx, `INSERT INTO event_log (kind, events, body_id) VALUES (1, 1, 1)`); err == nil {
						written.Add(1)
					}
				}
			})
		}
		b.StartTimer()
		start := time.Now()
		for removed := 0; removed < old; {
			began := time.Now()
			t, err := s.Trim(b.Context(), p)
			if err != nil {
				b.Fatal(err)
			}
			removed, p.After = removed+t.Rows, t.UpTo
			<-time.After(time.Since(began))
		}
		took := time.Since(start).Seconds()
		b.StopTimer()
		cancel()
		writers.Wait()
		b.ReportMetric(old/took, "removed/s")
		b.ReportMetric(float64(written.Load())/took, "written/s")
		b.StartTimer()
	}
}
