package pgtest

import (
	"testing"
	"time"
)

// waitTime bounds the wait for statements that the test has sent.
const waitTime = 30 * time.Second

// Hold makes the statements of the database that read the table and have the text wait at the server, and
// nothing else, until release; wait returns when as many of them do. Open the store before it: migrations
// would not find the table.
func Hold(t testing.TB, dsn, table, text string) (wait func(want int), release func()) {
	t.Helper()
	conn := Connect(t, dsn)
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TABLE held (text text)`)
	exec(`INSERT INTO held VALUES ($1)`, text)
	exec(`CREATE FUNCTION may_pass(query text) RETURNS boolean LANGUAGE plpgsql AS $$
		BEGIN
			IF EXISTS (SELECT FROM held WHERE position(text IN query) > 0) THEN
				PERFORM pg_advisory_xact_lock_shared(7);
			END IF;
			RETURN true;
		END $$`)
	exec(`ALTER TABLE ` + table + ` RENAME TO kept`)
	exec(`CREATE VIEW ` + table + ` AS SELECT * FROM kept WHERE may_pass(current_query())`)
	exec(`SELECT pg_advisory_lock(7)`)
	wait = func(want int) {
		t.Helper()
		const waiters = `SELECT count(*) FROM pg_locks
			WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
		pause := time.NewTicker(5 * time.Millisecond)
		defer pause.Stop()
		for deadline, n := time.Now().Add(waitTime), 0; ; <-pause.C {
			if err := conn.QueryRow(t.Context(), waiters).Scan(&n); err != nil {
				t.Fatal(err)
			}
			if n >= want {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%d statements wait, want %d", n, want)
			}
		}
	}
	return wait, func() {
		t.Helper()
		exec(`SELECT pg_advisory_unlock(7)`)
	}
}
