package postgres_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/messagehub/internal/inbox"
	"example.com/hub/services/messagehub/internal/outbox"
	"example.com/hub/services/messagehub/store/postgres"
)

// window reads the log after a position.
func window(t *testing.T, s *postgres.Store, after bus.Position) outbox.Window {
	t.Helper()
	w, err := s.Rows(t.Context(), after, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func positions(rows []outbox.Row) []bus.Position {
	var list []bus.Position
	for _, r := range rows {
		list = append(list, r.Position)
	}
	return list
}

func pushed(t *testing.T, s *postgres.Store, p inbox.PushParams) inbox.PushResult {
	t.Helper()
	result, err := s.Push(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// messageTo is a push of its own message.
func messageTo(id string, targets ...string) inbox.PushParams {
	p := pushTo(0)
	p.SourceMessageID, p.Targets = id, targets
	return p
}

func markRead(t *testing.T, s *postgres.Store, id, username string) inbox.MarkReadResult {
	t.Helper()
	result, err := s.MarkRead(t.Context(), inbox.MarkReadParams{
		Stamp: inbox.Stamp{ClientID: "portal", Now: start.Add(time.Minute)}, SourceMessageID: id, Username: username,
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestLogHasWhatWasAnnounced compares the frames of the log with those that the results announce.
func TestLogHasWhatWasAnnounced(t *testing.T) {
	s := open(t, pgtest.Schema(t))
	var want []bus.Frame
	announce := func(p inbox.PushParams) {
		result := pushed(t, s, p)
		f := bus.Frame{Position: result.Position}
		for _, c := range result.Created {
			f.Events = append(f.Events, bus.Event{Kind: bus.Message, User: c.Username, ID: c.ID, Time: p.Now})
		}
		want = append(want, f)
	}
	announce(messageTo("m1", "ann", "bob", "zoe"))
	announce(messageTo("m1", "ann", "cat", "zoe", "zz"))
	announce(messageTo("m2", "ann"))
	large := pushTo(postgres.CopyFrom + 1)
	announce(large)
	large.Targets = append([]string{"a first one"}, append(large.Targets, "z last one")...)
	announce(large)
	second := messageTo("m1", "ann")
	second.ClientID = "crm"
	announce(second)
	read := markRead(t, s, "m1", "ann")
	e := bus.Event{Kind: bus.Read, User: "ann", ID: "m1", Time: start.Add(time.Minute)}
	want = append(want, bus.Frame{Position: read.Position, Events: []bus.Event{e, e}})

	w := window(t, s, bus.Position{})
	got, err := s.Events(t.Context(), w.Rows)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("frames (-announced +log):\n%s", diff)
	}
	for i, r := range w.Rows {
		if r.Events != len(want[i].Events) || r.Age < 0 || r.Age > time.Minute {
			t.Errorf("row %d: %+v, want %d events", i, r, len(want[i].Events))
		}
	}
	// Any part of the log, in the order that it is asked for.
	some := []outbox.Row{w.Rows[5], w.Rows[6], w.Rows[1]}
	if got, err = s.Events(t.Context(), some); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]bus.Frame{want[5], want[6], want[1]}, got); diff != "" {
		t.Errorf("some frames (-announced +log):\n%s", diff)
	}
}

func TestNothingNewIsNotLogged(t *testing.T) {
	s := open(t, pgtest.Schema(t))
	pushed(t, s, messageTo("m1", "ann", "bob"))
	pushed(t, s, pushTo(postgres.CopyFrom))
	markRead(t, s, "m1", "ann")
	want := positions(window(t, s, bus.Position{}).Rows)
	for what, row := range map[string]bus.Position{
		"a duplicate push":              pushed(t, s, messageTo("m1", "ann", "bob")).Position,
		"a duplicate push of many":      pushed(t, s, pushTo(postgres.CopyFrom)).Position,
		"a mark read of a read message": markRead(t, s, "m1", "ann").Position,
		"a mark read of nothing":        markRead(t, s, "m9", "ann").Position,
	} {
		if !row.IsZero() {
			t.Errorf("%s has the row %v", what, row)
		}
	}
	if diff := cmp.Diff(want, positions(window(t, s, bus.Position{}).Rows)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestRowsHaveAConstantSize(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	for _, n := range []int{1, 10, 10_000} {
		p := pushTo(n)
		p.SourceMessageID = fmt.Sprint("m", n)
		pushed(t, s, p)
	}
	rows, err := pgtest.Connect(t, dsn).Query(t.Context(), `SELECT pg_column_size(event_log.*) FROM event_log`)
	if err != nil {
		t.Fatal(err)
	}
	sizes, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes for 1, 10 and 10,000 targets", sizes)
	if len(sizes) != 3 || slices.Max(sizes) != slices.Min(sizes) || sizes[0] > 80 {
		t.Errorf("sizes %d, want three alike", sizes)
	}
}

// begin opens a transaction that has written a row of the log, and gives the row.
func begin(t *testing.T, dsn string) (pgx.Tx, bus.Position) {
	t.Helper()
	tx, err := pgtest.Connect(t, dsn).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var p bus.Position
	if err := tx.QueryRow(t.Context(), `
		INSERT INTO event_log (kind, events, happened, username, source_message_id)
		VALUES (2, 1, now(), 'late', 'm1')
		RETURNING xid, seq`).Scan(&p.Transaction, &p.Sequence); err != nil {
		t.Fatal(err)
	}
	return tx, p
}

// TestWatermarkWaitsForOpenTransactions has a transaction that writes early and commits late.
func TestWatermarkWaitsForOpenTransactions(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	first := pushed(t, s, messageTo("m1", "ann")).Position
	tx, late := begin(t, dsn)
	second := pushed(t, s, messageTo("m2", "ann")).Position

	w := window(t, s, bus.Position{})
	if diff := cmp.Diff([]bus.Position{first, second}, positions(w.Rows)); diff != "" {
		t.Errorf("committed rows (-want +got):\n%s", diff)
	}
	if w.Watermark.Compare(late) >= 0 || w.End <= second.Transaction {
		t.Errorf("watermark %v and end %d around %v and %v", w.Watermark, w.End, late, second)
	}
	if late.Compare(second) >= 0 {
		t.Fatalf("the late row %v is not before %v", late, second)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	w = window(t, s, first)
	if diff := cmp.Diff([]bus.Position{late, second}, positions(w.Rows)); diff != "" {
		t.Errorf("rows after the commit (-want +got):\n%s", diff)
	}
}

// TestWatermarkPassesWithoutRows: listeners ask from the watermark, which must not stay behind for ever.
func TestWatermarkPassesWithoutRows(t *testing.T) {
	s := open(t, pgtest.Schema(t))
	before := window(t, s, bus.Position{})
	if len(before.Rows) != 0 || before.Watermark.IsZero() || before.Watermark.Transaction > before.End {
		t.Fatalf("empty log: %+v, want a watermark alone", before)
	}
	p := pushed(t, s, messageTo("m1", "ann")).Position
	if before.Watermark.Compare(p) >= 0 {
		t.Errorf("the watermark %v passed the row %v before it was written", before.Watermark, p)
	}
	// Transactions of other tests hold the watermark, too; they end.
	deadline := time.Now().Add(20 * time.Second)
	for window(t, s, p).Watermark.Compare(p) <= 0 {
		if time.Now().After(deadline) {
			t.Fatal("the watermark does not pass a committed row")
		}
	}
}

func TestRowsAreLimited(t *testing.T) {
	s := open(t, pgtest.Schema(t))
	var want []bus.Position
	for i := range 5 {
		want = append(want, pushed(t, s, messageTo(fmt.Sprint("m", i), "ann")).Position)
	}
	w, err := s.Rows(t.Context(), want[0], 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want[1:3], positions(w.Rows)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestLostAnswersAreAskedForAgain checks that a repeat does not add to what the lost run read.
func TestLostAnswersAreAskedForAgain(t *testing.T) {
	dsn := pgtest.Schema(t)
	direct := open(t, dsn)
	pushed(t, direct, messageTo("m1", "ann", "bob"))
	pushed(t, direct, messageTo("m2", "ann"))
	want := window(t, direct, bus.Position{})
	frames, err := direct.Events(t.Context(), want.Rows)
	if err != nil {
		t.Fatal(err)
	}
	p, through := pgtest.Through(t, dsn)
	s := open(t, through)
	lost := 0
	p.Lose("SELECT 2", func() { lost++ })
	got := window(t, s, bus.Position{})
	if diff := cmp.Diff(positions(want.Rows), positions(got.Rows)); diff != "" || lost != 1 {
		t.Errorf("rows after %d lost answers (-want +got):\n%s", lost, diff)
	}
	p.Lose("SELECT 3", func() { lost++ })
	again, err := s.Events(t.Context(), got.Rows)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(frames, again); diff != "" || lost != 2 {
		t.Errorf("frames after %d lost answers (-want +got):\n%s", lost, diff)
	}
}

func TestLogOfALaterVersion(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	if _, err := pgtest.Connect(t, dsn).Exec(t.Context(), `INSERT INTO event_log (kind, events) VALUES (77, 1)`); err != nil {
		t.Fatal(err)
	}
	w := window(t, s, bus.Position{})
	frames, err := s.Events(t.Context(), w.Rows)
	if err != nil || len(frames) != 1 || len(frames[0].Events) != 0 {
		t.Errorf("frames %v, %v; want one without events", frames, err)
	}
}
