package pg_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.com/hub/pkg/log"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/requestid"
	"example.com/hub/pkg/telemetry/telemetrytest"
	"example.com/hub/pkg/telemetry/tracing/tracingtest"
)

// observed opens a DB of an empty schema that tells of its statements.
func observed(t testing.TB, d pg.Deps) *pg.DB {
	t.Helper()
	dsn := pgtest.Schema(t)
	open(t, dsn, 1)
	d.Config.URL, d.Config.MaxConns, d.Config.AcquireTimeout = dsn, 1, 10*time.Second
	db, err := openVisits(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// everyWay runs statements in every way that the stores do: one that answers two rows, one that fails,
// two in a batch and a COPY in a transaction.
func everyWay(ctx context.Context, t *testing.T, db *pg.DB) {
	t.Helper()
	err := db.Call(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, "-- name: select_two\nSELECT * FROM generate_series($1::int, 8)", 7)
		if err != nil {
			return err
		}
		if _, err := pgx.CollectRows(rows, pgx.RowTo[int]); err != nil {
			return err
		}
		if _, err := conn.Exec(ctx, "-- name: divide\nSELECT 1 / $1::int", 0); err == nil {
			return errors.New("divided by zero")
		}
		batch := &pgx.Batch{}
		batch.Queue("-- name: insert_visit\nINSERT INTO visit (who) VALUES ($1)", "secret")
		batch.Queue("-- name: sleep\nSELECT pg_sleep($1)", 0.02)
		if err := conn.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		return pgx.BeginFunc(ctx, conn.Conn, func(pgx.Tx) error {
			_, err := conn.Copy(ctx, strings.NewReader("secret\n"), "-- name: copy_visit\nCOPY visit (who) FROM STDIN")
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// statements are those of everyWay, in order.
var statements = []string{"select_two", "divide", "insert_visit", "sleep", "begin", "copy_visit", "commit"}

func TestStatementsAreMeasured(t *testing.T) {
	metrics := telemetry.New()
	db := observed(t, pg.Deps{Metrics: metrics})
	everyWay(t.Context(), t, db)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = db.Call(t.Context(), func(conn pg.Session, _ bool) error {
		_, err := conn.Exec(ctx, "-- name: left\nSELECT 1")
		return err
	})
	got := telemetrytest.Scrape(metrics, "hub_database_statement_")
	for _, name := range append([]string{"left"}, statements...) {
		if line := fmt.Sprintf(`hub_database_statement_duration_seconds_count{statement=%q} 1`, name); !slices.Contains(got, line) {
			t.Errorf("no %s", line)
		}
	}
	failures := telemetrytest.Scrape(metrics, "hub_database_statement_failures_total")
	want := []string{`hub_database_statement_failures_total{statement="divide"} 1`, `hub_database_statement_failures_total{statement="other"} 0`}
	if diff := cmp.Diff(want, failures); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"insert_visit", "sleep"} {
		if line := fmt.Sprintf(`hub_database_statement_duration_seconds_bucket{statement=%q,le="0.01"} 0`, name); !slices.Contains(got, line) {
			t.Errorf("a batch of 20 ms took less than 10: no %s", line)
		}
	}
}

func TestStatementsOfATracedCallAreSpans(t *testing.T) {
	tracer, end := tracingtest.Open(t)
	db := observed(t, pg.Deps{Tracer: tracer})
	everyWay(t.Context(), t, db) // of no request
	ctx, request := tracer.Request(t.Context(), http.Header{})
	everyWay(ctx, t, db)
	request.Answered("GET /a", 200, "portal")
	spans := end()
	var got []string
	for _, s := range spans {
		if s.Name == "GET /a" {
			continue
		}
		got = append(got, s.Name)
		if s.Parent != spans[len(spans)-1].ID || s.Attributes["db.namespace"] == "" || s.Failed != (s.Name == "divide") {
			t.Errorf("got %+v", s)
		}
		if s.Name == "divide" && s.Attributes["error.type"] != "22012" {
			t.Errorf("division by zero is %q", s.Attributes["error.type"])
		}
		if s.Name == "select_two" && s.Attributes["db.response.returned_rows"] != "int_value:2" {
			t.Errorf("two rows are %q", s.Attributes["db.response.returned_rows"])
		}
		if strings.Contains(fmt.Sprint(s), "secret") {
			t.Errorf("a value is in %+v", s)
		}
	}
	if diff := cmp.Diff(statements, got); diff != "" {
		t.Error(diff)
	}
}

func TestSlowStatementsAreLogged(t *testing.T) {
	var out bytes.Buffer
	db := observed(t, pg.Deps{Config: pg.Config{SlowQuery: 20 * time.Millisecond}, Logger: log.New(&out, log.Config{Format: "json"})})
	ctx := requestid.With(t.Context(), "r-7")
	slow := func(sql string, args ...any) {
		_ = db.Call(ctx, func(conn pg.Session, _ bool) error {
			_, err := conn.Exec(ctx, sql, args...)
			return err
		})
	}
	slow("-- name: sleep\nSELECT pg_sleep(0.02), $1::text", "secret")
	slow("-- name: fail\nSELECT pg_sleep(0.02), $1::text, 1 / (random() * 0)::int", "secret")
	type line struct {
		Level, Msg, Statement string
		Duration              float64 `json:"duration_ms"`
		Rows                  int
		Failed                bool
		RequestID             string `json:"request_id"`
	}
	var got []line
	for text := range strings.Lines(out.String()) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		if l.Statement == "select_process" { // of a connection that was opened, which a busy machine makes slow
			continue
		}
		if l.Duration < 20 || l.Duration > 10_000 {
			t.Errorf("%s took %v ms", l.Statement, l.Duration)
		}
		l.Duration = 0
		got = append(got, l)
	}
	const message = "slow database statement"
	want := []line{
		{Level: "WARN", Msg: message, Statement: "sleep", Rows: 1, RequestID: "r-7"},
		{Level: "WARN", Msg: message, Statement: "fail", Failed: true, RequestID: "r-7"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(out.String(), "secret") {
		t.Errorf("a value is in %s", &out)
	}
}

func TestNoStatementIsSlowWithoutTheSetting(t *testing.T) {
	var out bytes.Buffer
	db := observed(t, pg.Deps{Logger: log.New(&out, log.Config{Format: "json"})})
	everyWay(t.Context(), t, db)
	if out.Len() > 0 {
		t.Errorf("got %s", &out)
	}
}

// observing gives what happens around a statement besides it where nobody traces.
func observing(t testing.TB, run func(statement func())) {
	t.Helper()
	ctx := t.Context()
	db := observed(t, pg.Deps{Config: pg.Config{SlowQuery: time.Minute}, Metrics: telemetry.New()})
	answer := pgconn.NewCommandTag("SELECT 1")
	err := db.Call(ctx, func(conn pg.Session, _ bool) error {
		run(func() { conn.Observe(ctx, "-- name: select_one\nSELECT 1", answer) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestObservingAllocatesNothing(t *testing.T) {
	observing(t, func(statement func()) {
		if got := testing.AllocsPerRun(100, statement); got != 0 {
			t.Errorf("%v allocations", got)
		}
	})
}

func BenchmarkObserving(b *testing.B) {
	observing(b, func(statement func()) {
		b.ReportAllocs()
		for b.Loop() {
			statement()
		}
	})
}
