package postgres_test

import (
	"fmt"
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
	trim := func(p outbox.TrimParams, want int) {
		t.Helper()
		n, err := s.Trim(t.Context(), p)
		if err != nil || n != want {
			t.Errorf("trim %+v: %d, %v; want %d", p, n, err, want)
		}
	}
	trim(outbox.TrimParams{UpTo: rows[9], Age: time.Hour, Limit: 100}, 0)
	if _, err := conn.Exec(t.Context(),
		`UPDATE event_log SET created = created - interval '2 hours' WHERE body_id <> 3`); err != nil {
		t.Fatal(err)
	}
	trim(outbox.TrimParams{UpTo: rows[9], Age: 3 * time.Hour, Limit: 100}, 0)
	trim(outbox.TrimParams{Age: time.Hour, Limit: 100}, 0)
	trim(outbox.TrimParams{UpTo: rows[9], Age: time.Hour, Limit: 2}, 2)
	trim(outbox.TrimParams{UpTo: rows[5], Age: time.Hour, Limit: 100}, 3)
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
		if n, err := s.Trim(t.Context(), outbox.TrimParams{UpTo: own, Age: time.Hour, Limit: 3}); err != nil || n != want {
			t.Errorf("trim: %d, %v; want %d", n, err, want)
		}
	}
}
