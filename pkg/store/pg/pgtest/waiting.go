package pgtest

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Waiting returns when n statements of the name wait for rows of the tables in a schema.
func Waiting(t testing.TB, dsn, name string, n int) {
	t.Helper()
	waiting(t, Connect(t, dsn), name, n)
}

func waiting(t testing.TB, conn *pgx.Conn, name string, n int) {
	t.Helper()
	// Whoever waits for a row has a lock on its table.
	const waiters = `SELECT count(DISTINCT a.pid)
		FROM pg_stat_activity AS a JOIN pg_locks AS l ON l.pid = a.pid JOIN pg_class AS c ON c.oid = l.relation
		WHERE a.wait_event_type = 'Lock' AND a.query LIKE '-- name: ' || $1 || E'\n%'
			AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND c.relnamespace = current_schema()::regnamespace`
	pause := time.NewTicker(5 * time.Millisecond)
	defer pause.Stop()
	for deadline, found := time.Now().Add(waitTime), 0; ; <-pause.C {
		if err := conn.QueryRow(t.Context(), waiters, name).Scan(&found); err != nil {
			t.Fatal(err)
		}
		if found == n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d statements wait, want %d", found, n)
		}
	}
}

// Patience is the deadlock_timeout of connections whose statements find the deadlock of Deadlock: the server
// looks for one once in each wait, after that time. It is a part of the longest time of a call.
const Patience = "500"

// Deadlock runs a call into a deadlock with another transaction, and gives what the call answers after the
// other one has ended. The call has a statement of the name, which locks the row that the query first finds,
// and then that of the query last; the server undoes it. The call's connections have Patience.
func Deadlock(t testing.TB, dsn, name, first, last string, call func() error) error {
	t.Helper()
	holder, beside := Connect(t, With(dsn, "deadlock_timeout", "60000")), Connect(t, dsn)
	run := func(sql string) {
		t.Helper()
		if _, err := holder.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	run("BEGIN")
	run(last)
	ended := make(chan error, 1)
	go func() { ended <- call() }()
	waiting(t, beside, name, 1)
	run(first)
	run("COMMIT")
	return <-ended
}
