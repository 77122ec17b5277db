package postgres_test

import (
	"fmt"
	"math"
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

// below is the start of a read-all.
var below = inbox.AllRead{Below: inbox.Place{At: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), Body: math.MaxInt64}}

// slowPush stores a message for a user in a transaction, which the caller ends.
func slowPush(t *testing.T, conn *pgx.Conn, id, username string) pgx.Tx {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = tx.Exec(t.Context(), `
		WITH m AS (INSERT INTO message (source_message_id, source_app_id) VALUES ($1, 'slow') RETURNING id),
		b AS (
		    INSERT INTO body (message_id, occurred_at, create_time, creator, title, category, actions, content)
		    SELECT id, $3, $3, 'slow', '', '', '[]', '' FROM m
		    RETURNING id, message_id
		)
		INSERT INTO inbox (message_id, body_id, occurred_at, ordinal, status, username)
		SELECT message_id, id, $3, 0, 1, $2 FROM b`, id, username, start)
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

func end(t *testing.T, tx pgx.Tx) {
	t.Helper()
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// pushIDs pushes messages to a user.
func pushIDs(t *testing.T, s *postgres.Store, username string, ids ...string) {
	t.Helper()
	for _, id := range ids {
		p := pushTo(0)
		p.SourceMessageID, p.Targets = id, []string{username}
		pushOnce(t, s, p, 1)
	}
}

// watermark reads that of a user's inbox.
func watermark(t *testing.T, s *postgres.Store, username string) inbox.Watermark {
	t.Helper()
	result, err := s.Walk(t.Context(), inbox.WalkParams{ListParams: defaultList(username, 20)})
	if err != nil {
		t.Fatal(err)
	}
	result.Watermark.At = start
	return result.Watermark
}

// readAll switches one batch, which is larger than what there is.
func readAll(t *testing.T, s *postgres.Store, username string, upTo inbox.Watermark) inbox.AllRead {
	t.Helper()
	done, err := s.MarkAllRead(t.Context(), inbox.MarkAllReadParams{
		Stamp: inbox.Stamp{ClientID: "portal", Now: start}, Username: username, UpTo: upTo, Rows: 100, Done: below,
	})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// wantUnread checks which messages of a user are not read.
func wantUnread(t *testing.T, s *postgres.Store, username string, ids ...string) {
	t.Helper()
	var got []string
	for _, r := range recordsOf(t, s, username) {
		if r.Status == inbox.Unread {
			got = append(got, r.SourceMessageID)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(ids, got); diff != "" {
		t.Errorf("unread (-want +got):\n%s", diff)
	}
}

// A push that is slow has a smaller id than those that began after it and are committed before. Whoever read
// the page in between did not see it.
func TestReadAllLeavesASlowPush(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	pushIDs(t, s, "ann", "before")
	first := slowPush(t, pgtest.Connect(t, dsn), "slow1", "ann")
	pushIDs(t, s, "ann", "between")
	second := slowPush(t, pgtest.Connect(t, dsn), "slow2", "ann")
	pushIDs(t, s, "ann", "after")
	upTo := watermark(t, s, "ann")
	if len(upTo.Running) < 2 {
		t.Fatalf("the watermark is %+v", upTo)
	}
	end(t, first)
	end(t, second)
	pushIDs(t, s, "ann", "later")
	if done := readAll(t, s, "ann", upTo); done.Switched != 3 || done.Newest != "after" {
		t.Errorf("%+v", done)
	}
	wantUnread(t, s, "ann", "later", "slow1", "slow2")

	// Vacuum keeps the number of the transaction, but marks it as long past.
	if _, err := pgtest.Connect(t, dsn).Exec(t.Context(), "VACUUM (FREEZE) body"); err != nil {
		t.Fatal(err)
	}
	readAll(t, s, "ann", upTo)
	wantUnread(t, s, "ann", "later", "slow1", "slow2")
	readAll(t, s, "ann", watermark(t, s, "ann"))
	wantUnread(t, s, "ann")
}

// Bodies have the lower half of a transaction's number.
func TestReadAllKnowsTransactionsByTheirLowerHalves(t *testing.T) {
	s := open(t, pgtest.Schema(t))
	pushIDs(t, s, "ann", "m1")
	upTo := watermark(t, s, "ann")
	for name, tt := range map[string]struct {
		change func(w *inbox.Watermark)
		want   int64
	}{
		"of a body that was later": {func(w *inbox.Watermark) { w.Body = 0 }, 0},
		"of another database":      {func(w *inbox.Watermark) { w.End += 1 << 33 }, 0},
		"that was running":         {func(w *inbox.Watermark) { w.Running = append(w.Running, w.End-1, w.End-2, w.End-3) }, 0},
		"that began later":         {func(w *inbox.Watermark) { w.End -= 100 }, 0},
		"of a body of days ago":    {func(w *inbox.Watermark) { w.At, w.End = start.AddDate(0, 0, 2), 3 }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			changed := upTo
			changed.Running = slices.Clone(upTo.Running)
			tt.change(&changed)
			if done := readAll(t, s, "ann", changed); done.Switched != tt.want {
				t.Errorf("switched %d, want %d", done.Switched, tt.want)
			}
			if tt.want > 0 {
				pushIDs(t, s, "ann", fmt.Sprint("again", name))
			}
		})
	}
}

// The log has one row for a read-all, however many batches it takes, and it is that of the last one: what was
// announced before is announced again.
func TestReadAllHasOneRowInTheLog(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	pushIDs(t, s, "ann", "m1", "m2", "m3", "m4", "m5")
	p := inbox.MarkAllReadParams{
		Stamp: inbox.Stamp{ClientID: "portal", Now: start}, Username: "ann", UpTo: watermark(t, s, "ann"), Rows: 2, Done: below,
	}
	after := watermarkOfLog(t, s)
	var last bus.Position
	for n := 0; !p.Done.End; n++ {
		done, err := s.MarkAllRead(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		p.Done = done
		rows, err := s.Rows(t.Context(), after, 100)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows.Rows) != 1 || rows.Rows[0].Position != done.Position || done.Position.Compare(last) <= 0 {
			t.Fatalf("after batch %d: %+v, %+v", n, rows.Rows, done)
		}
		last = done.Position
		frames, err := s.Events(t.Context(), rows.Rows)
		want := []bus.Event{{Kind: bus.Read, User: "ann", ID: "m5", Time: start}}
		if err != nil || !cmp.Equal(frames[0].Events, want) {
			t.Errorf("the events are %+v, %v", frames, err)
		}
	}
	if done, err := s.MarkAllRead(t.Context(), p); err != nil || done.Position != last || done.Switched != 5 {
		t.Errorf("a batch of nothing: %+v, %v", done, err)
	}
}

func watermarkOfLog(t *testing.T, log outbox.Log) bus.Position {
	t.Helper()
	w, err := log.Rows(t.Context(), bus.Position{Transaction: 1}, 100)
	if err != nil || len(w.Rows) == 0 {
		t.Fatalf("%+v, %v", w, err)
	}
	return w.Rows[len(w.Rows)-1].Position
}

func TestLostReadAllIsRepeated(t *testing.T) {
	dsn := pgtest.Schema(t)
	direct := open(t, dsn)
	proxy, through := pgtest.Through(t, dsn)
	s := open(t, through)
	pushIDs(t, direct, "ann", "m1", "m2", "m3")
	upTo := watermark(t, direct, "ann")
	lost := 0
	proxy.Lose("SELECT 1", func() { lost++ })
	if done := readAll(t, s, "ann", upTo); done.Switched != 3 || lost != 1 || done.Newest != "" || !done.End {
		t.Errorf("with %d lost answers: %+v", lost, done)
	}
	wantUnread(t, direct, "ann")
}

// While deadlocks go on, it takes one record at a time. A trigger stands for whoever locks in another order.
func TestReadAllGetsOverDeadlocks(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	pushIDs(t, s, "ann", "m1", "m2", "m3")
	_, err := pgtest.Connect(t, dsn).Exec(t.Context(), `
		CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
		    IF (SELECT count(*) FROM switched) > 1 THEN
		        RAISE EXCEPTION 'as in a deadlock' USING ERRCODE = 'deadlock_detected';
		    END IF;
		    RETURN NULL;
		END $$;
		CREATE TRIGGER refuse_many AFTER UPDATE ON inbox
		REFERENCING NEW TABLE AS switched FOR EACH STATEMENT EXECUTE FUNCTION refuse_many()`)
	if err != nil {
		t.Fatal(err)
	}
	p := inbox.MarkAllReadParams{
		Stamp: inbox.Stamp{ClientID: "portal", Now: start}, Username: "ann", UpTo: watermark(t, s, "ann"), Rows: 100, Done: below,
	}
	for n, unread := range [][]string{{"m1", "m2"}, {"m1"}, nil} {
		done, err := s.MarkAllRead(t.Context(), p)
		if err != nil || done.Switched != int64(n+1) || done.Newest != "m3" || done.End != (n == 2) {
			t.Fatalf("batch %d: %+v, %v", n, done, err)
		}
		wantUnread(t, s, "ann", unread...)
		p.Done = done
	}
}
