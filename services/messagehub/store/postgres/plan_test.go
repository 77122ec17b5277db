package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/field"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/messagehub/internal/inbox"
	"example.com/hub/services/messagehub/store/postgres"
)

// filled opens a connection to a schema of 90,000 records: 30,000 messages, each to ann and to two of
// 5,000 others, a third of them read.
func filled(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, _ := filledStore(t)
	return conn
}

// filledStore is filled with the store of its schema.
func filledStore(t *testing.T) (*pgx.Conn, *postgres.Store) {
	t.Helper()
	dsn := pgtest.Database(t)
	s := open(t, dsn)
	conn := pgtest.Connect(t, dsn)
	pgtest.Fill(
		t, conn, []string{"message", "body", "inbox"},
		`INSERT INTO message (source_message_id, source_app_id) SELECT 'message-' || n, 'erp' FROM generate_series(1, 30000) AS n`,
		`INSERT INTO body (message_id, occurred_at, create_time, creator, title, category, actions, content)
		SELECT id, now() - id * 7919 % 30000 * interval '1 second', now(), 'erp', 'title', 'notice', '[]', repeat('content ', 20)
		FROM message`,
		`INSERT INTO inbox (message_id, body_id, ordinal, status, occurred_at, username)
		SELECT message_id, id, n, 1 + (id % 3) / 2, occurred_at, CASE WHEN n = 0 THEN 'ann' ELSE 'user-' || (id + n * 1000) % 5000 END
		FROM body, generate_series(0, 2) AS n`,
	)
	return conn, s
}

func defaultList(username string, size int64) inbox.ListParams {
	return inbox.ListParams{Username: username, Page: field.Page{Size: size}, Sort: inbox.DefaultSort}
}

// TestPlansAreFlat checks that the default list of a named user, first page or deep, with few records
// or with many, and the unread count take everything from the index, with a sort of the page at most where
// that is deep, and else with none, that a page looks at few blocks besides those of its records, and that
// mark read goes by the message.
func TestPlansAreFlat(t *testing.T) {
	conn := filled(t)
	for _, planner := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+planner); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name, user string
			status     inbox.Status
			number     int64
			ascending  bool
			// from is what finds the page, and blocks the most that it may look at.
			from   string
			blocks int
		}{
			{"first page of many", "ann", 0, 0, false, "Index Scan", 155},
			{"first page of many, oldest first", "ann", 0, 0, true, "Index Scan", 155},
			{"fourth page of many", "ann", 0, 3, false, "Index Scan", 210},
			{"fifth page of many", "ann", 0, 4, false, "Index Only Scan", 210},
			{"deep page of many", "ann", 0, 1000, false, "Index Only Scan", 500},
			{"unread of many", "ann", inbox.Unread, 0, false, "Index Scan", 155},
			{"deep read of many", "ann", inbox.Read, 400, false, "Index Only Scan", 500},
			{"first page of few", "user-7", 0, 0, false, "Index Scan", 100},
			{"read of few", "user-7", inbox.Read, 0, false, "Index Scan", 40},
			{"first page of none", "nobody", 0, 0, false, "Index Scan", 10},
		} {
			t.Run(planner+"/"+tt.name, func(t *testing.T) {
				p := defaultList(tt.user, 20)
				p.Status, p.Page.Number, p.Sort.Descending = tt.status, tt.number, !tt.ascending
				query, args := postgres.ListQuery(p)
				plan := pgtest.Explain(t, conn, query, args...)
				wantInOrder(t, plan, "Limit", tt.from)
				wantInOrder(t, plan, "Aggregate", "Index Only Scan")
				if n := len(plan.Find("Seq Scan", "Bitmap Heap Scan")); n > 0 {
					t.Errorf("%d scans of a table: %+v", n, plan)
				}
				for _, sort := range plan.Find("Sort", "Incremental Sort") {
					if tt.from == "Index Scan" || sort.Rows > 20 {
						t.Errorf("a sort of %v rows: %+v", sort.Rows, plan)
					}
				}
				total := plan.Find("Aggregate")[0]
				if n := plan.Hit + plan.Read - total.Hit - total.Read; n > tt.blocks {
					t.Errorf("the page looks at %d blocks, want at most %d: %+v", n, tt.blocks, plan)
				}
			})
		}
		t.Run(planner+"/unread count", func(t *testing.T) {
			wantInOrder(t, pgtest.Explain(t, conn, postgres.CountUnread, "ann"), "Aggregate", "Index Only Scan")
		})
		t.Run(planner+"/mark read", func(t *testing.T) {
			plan := pgtest.Explain(t, conn, postgres.UpdateRead, start, "portal", "message-7", "ann")
			wantScans(t, plan, "message_source_message_id_source_app_id_key", "inbox_pkey")
			if n := plan.Hit + plan.Read; n > 60 {
				t.Errorf("it looks at %d blocks: %+v", n, plan)
			}
		})
	}
}

// TestReadAllPlansAreFlat checks that a batch of a read-all is read from its place in inbox_list in order, and
// the rest of its records by keys, however many there are, how few match, and however far the batch is.
func TestReadAllPlansAreFlat(t *testing.T) {
	conn, s := filledStore(t)
	const rows = 50
	upTo := watermark(t, s, "ann")
	place := behind(t, s, inbox.WalkParams{ListParams: inbox.ListParams{Username: "ann", Status: inbox.Unread, Sort: inbox.DefaultSort}}, 10_000)
	at, front, farther := start, below.Below, *place
	for _, planner := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+planner); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name, user, category string
			from                 inbox.Place
		}{
			{"of many", "ann", "", front},
			{"far below", "ann", "", farther},
			{"none of many match", "ann", "alarm", front},
			{"of few", "user-7", "", front},
			{"of none", "nobody", "", front},
		} {
			t.Run(planner+"/"+tt.name, func(t *testing.T) {
				if _, err := conn.Exec(t.Context(), "BEGIN"); err != nil {
					t.Fatal(err)
				}
				plan := pgtest.Explain(t, conn, postgres.UpdateAllRead, at, "portal", tt.user, upTo.At, upTo.Body, upTo.End, []int64{},
					"", tt.category, rows, tt.from.At, tt.from.Body, "", int64(0), int64(0))
				if _, err := conn.Exec(t.Context(), "ROLLBACK"); err != nil {
					t.Fatal(err)
				}
				wantScans(t, plan, "inbox_list")
				for _, scan := range plan.Find("Index Scan", "Index Only Scan", "Bitmap Heap Scan", "Sort") {
					if scan.Rows > rows {
						t.Errorf("a step of %v rows, want at most %d: %+v", scan.Rows, rows, scan)
					}
				}
				// For each record some blocks of it, its body, its message and the indexes to them, read and written.
				if n := plan.Hit + plan.Read; n > 60*rows {
					t.Errorf("it looks at %d blocks: %+v", n, plan)
				}
			})
		}
	}
}

// TestWalksAreFlat checks that a page of the default order of a named user comes from the index alone, in
// order and at any place, upwards and downwards, of one status and of any, and that nothing is counted.
func TestWalksAreFlat(t *testing.T) {
	conn, s := filledStore(t)
	for _, planner := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+planner); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			user   string
			status inbox.Status
			// depth is the number of records in front of the page, and ranges that of the scans.
			depth  int64
			ranges int
		}{
			{"ann", inbox.Unread, 0, 1},
			{"ann", inbox.Unread, 10_000, 1},
			{"ann", 0, 0, 2},
			{"ann", 0, 10_000, 2},
			{"user-7", inbox.Read, 2, 1},
			{"user-7", 0, 5, 2},
			{"nobody", 0, 0, 2},
		} {
			for _, descending := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/%s status %d behind %d descending %t", planner, tt.user, tt.status, tt.depth, descending), func(t *testing.T) {
					p := inbox.WalkParams{ListParams: defaultList(tt.user, 21)}
					p.Status, p.Sort.Descending = tt.status, descending
					p.After = behind(t, s, p, tt.depth)
					query, args := postgres.WalkQuery(p)
					wantFlat(t, pgtest.Explain(t, conn, query, args...), tt.ranges)
				})
			}
		}
	}
}

// behind gives the place that has so many records in front of it.
func behind(t *testing.T, s *postgres.Store, p inbox.WalkParams, depth int64) *inbox.Place {
	t.Helper()
	if depth == 0 {
		return nil
	}
	p.Page.Size = depth
	result, err := s.Walk(t.Context(), p)
	if err != nil || int64(len(result.Records)) != depth {
		t.Fatalf("%d records, %v", len(result.Records), err)
	}
	return placeBehind(t, result.Records[depth-1])
}

// wantFlat checks that the plan reads a page of 21 from so many ranges of inbox_list, and the rest of their
// records by keys.
func wantFlat(t *testing.T, plan pgtest.Plan, ranges int) {
	t.Helper()
	if n := len(plan.Find("Seq Scan", "Bitmap Heap Scan", "Incremental Sort", "Aggregate")); n > 0 {
		t.Errorf("%d steps that read more than the page: %+v", n, plan)
	}
	for _, sort := range plan.Find("Sort") {
		if sort.Rows > 21 {
			t.Errorf("a sort of %v rows", sort.Rows)
		}
	}
	lists := 0
	for _, scan := range plan.Find("Index Scan", "Index Only Scan") {
		if scan.Rows > 21 {
			t.Errorf("a scan of %v rows of %s", scan.Rows, scan.Index)
		}
		if scan.Index == "inbox_list" {
			lists++
		}
	}
	// A block for each record, three each for its body and its message, and a few of the index for each range.
	if n := plan.Hit + plan.Read; lists != ranges || n > 21*7+30*ranges {
		t.Errorf("%d scans of the list and %d blocks, want %d scans: %+v", lists, n, ranges, plan)
	}
}

// TestEventPlansAreFlat checks that the newest record takes one row of each range, and that whatever
// looks at the event log every second reads as much of it as it needs.
func TestEventPlansAreFlat(t *testing.T) {
	conn := filled(t)
	pgtest.Fill(
		t, conn, []string{"event_log"},
		`INSERT INTO event_log (created, kind, events, body_id)
		SELECT clock_timestamp() - (30000 - id) * interval '1 second', 1, 3, id FROM body ORDER BY id`,
	)
	var transaction uint64
	if err := conn.QueryRow(t.Context(), `SELECT max(xid) FROM event_log`).Scan(&transaction); err != nil {
		t.Fatal(err)
	}
	for _, planner := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+planner); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name, query string
			args        []any
			indexes     []string
			// rows is the largest number that a step may read.
			rows float64
		}{
			{"newest record", postgres.SelectNewest, []any{"ann"}, []string{"inbox_list"}, 1},
			{"rows after a position", postgres.SelectEvents, []any{transaction, int64(20_000), 100}, []string{"event_log_pkey"}, 100},
			{"recipients", postgres.SelectRecipients, []any{[]int64{7, 9}, []int64{0, 1}}, []string{"body_pkey", "inbox_pkey"}, 3},
			{"since", postgres.SelectBefore, []any{100 * time.Second}, []string{"event_log_pkey"}, 1},
			{"trim", postgres.DeleteEvents, []any{transaction, int64(5_000), transaction, int64(25_000), time.Hour, 5000}, []string{"event_log_pkey"}, 5000},
		} {
			t.Run(planner+"/"+tt.name, func(t *testing.T) {
				plan := pgtest.Explain(t, conn, tt.query, tt.args...)
				wantScans(t, plan, tt.indexes...)
				for _, scan := range plan.Find("Index Scan", "Index Only Scan") {
					if scan.Rows > tt.rows {
						t.Errorf("a scan of %v rows, want at most %v: %+v", scan.Rows, tt.rows, plan)
					}
				}
			})
		}
	}
}

// wantInOrder checks that one step of the type has its rows, in order, from inbox_list alone, by scans of
// the type.
func wantInOrder(t *testing.T, plan pgtest.Plan, kind, scan string) {
	t.Helper()
	for _, step := range plan.Find(kind) {
		scans := step.Find("Index Scan", "Index Only Scan")
		foreign := len(step.Find("Sort", "Incremental Sort"))
		for _, s := range scans {
			if s.Type != scan || s.Index != "inbox_list" {
				foreign++
			}
		}
		if len(scans) > 0 && foreign == 0 {
			return
		}
	}
	t.Errorf("no %s takes its rows in order from an %s of inbox_list: %+v", kind, scan, plan)
}

// wantScans checks that the plan reads each of the indexes, and no table as a whole.
func wantScans(t *testing.T, plan pgtest.Plan, indexes ...string) {
	t.Helper()
	scans := plan.Find("Index Scan", "Index Only Scan")
	for _, index := range indexes {
		found := false
		for _, scan := range scans {
			found = found || scan.Index == index
		}
		if !found {
			t.Errorf("the plan does not use %s: %+v", index, plan)
		}
	}
	if len(plan.Find("Seq Scan")) > 0 {
		t.Errorf("the plan reads a table as a whole: %+v", plan)
	}
}

// TestRepeatedPushGoesByKeys repeats a push in a schema that is new, whose tables nobody has analyzed.
func TestRepeatedPushGoesByKeys(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	message := pushTo(postgres.CopyFrom)
	pushOnce(t, s, message, postgres.CopyFrom)
	args, err := postgres.PushArgs(message)
	if err != nil {
		t.Fatal(err)
	}
	plan := pgtest.Explain(t, pgtest.Connect(t, dsn), postgres.InsertMissing, append(args, message.Targets)...)
	steps := plan.Find("Sort", "Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Heap Scan", "Materialize", "Function Scan")
	for _, step := range steps {
		if step.Rows > postgres.CopyFrom {
			t.Errorf("a step of %v rows: %+v", step.Rows, step)
		}
	}
	// Some blocks for each target.
	if n := plan.Hit + plan.Read; n > 10*postgres.CopyFrom || n < postgres.CopyFrom {
		t.Errorf("it looks at %d blocks: %+v", n, plan)
	}
}
