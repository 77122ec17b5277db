package pgtest

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Plan is a step of a plan with the steps below it, as EXPLAIN (FORMAT JSON) gives it.
type Plan struct {
	Type  string  `json:"Node Type"`
	Index string  `json:"Index Name"`
	Rows  float64 `json:"Actual Rows"`
	// Loops is how often the step ran; 0 is never.
	Loops float64 `json:"Actual Loops"`
	// Hit and Read are the blocks of 8 KiB that the step and those below it looked at: those that the
	// server had in memory, and others.
	Hit   int    `json:"Shared Hit Blocks"`
	Read  int    `json:"Shared Read Blocks"`
	Below []Plan `json:"Plans"`
}

// Find gives the steps of the types at and below p.
func (p Plan) Find(types ...string) []Plan {
	var found []Plan
	for _, t := range types {
		if p.Type == t {
			found = append(found, p)
		}
	}
	for _, below := range p.Below {
		found = append(found, below.Find(types...)...)
	}
	return found
}

// Explain runs a statement as a prepared one, for which plan_cache_mode counts, and gives its plan.
func Explain(t testing.TB, conn *pgx.Conn, query string, args ...any) Plan {
	t.Helper()
	if _, err := conn.Exec(t.Context(), "PREPARE explained AS "+query); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := conn.Exec(t.Context(), "DEALLOCATE explained"); err != nil {
			t.Error(err)
		}
	}()
	binds := make([]string, len(args))
	for i := range args {
		binds[i] = "$" + strconv.Itoa(i+1)
	}
	// EXECUTE takes no binds of the protocol, so the driver writes them into the text.
	args = append([]any{pgx.QueryExecModeSimpleProtocol}, args...)
	explain := "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE explained (" + strings.Join(binds, ", ") + ")"
	var text []byte
	if err := conn.QueryRow(t.Context(), explain, args...).Scan(&text); err != nil {
		t.Fatal(err)
	}
	var plans []struct{ Plan Plan }
	if err := json.Unmarshal(text, &plans); err != nil {
		t.Fatal(err)
	}
	return plans[0].Plan
}

// Fill stores rows with the statements, and returns when the planner knows all about the tables: the
// statistics are new and stay, and each page counts as visible to all, without which an index alone
// does not seem to be enough. VACUUM leaves pages out as long as a transaction runs that began before
// the rows were committed; even a connection that is being made to another database is one.
func Fill(t testing.TB, conn *pgx.Conn, tables []string, statements ...string) {
	t.Helper()
	exec := func(sql string) {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	// VACUUM counts a row as visible to all once its commit is on disk.
	exec(`SET synchronous_commit = on`)
	for _, table := range tables {
		// The server's own would come after these rows at a time of its choice.
		exec(`ALTER TABLE ` + table + ` SET (autovacuum_enabled = off)`)
	}
	for _, statement := range statements {
		exec(statement)
	}
	for _, table := range tables {
		for visible := false; !visible; {
			exec(`VACUUM (ANALYZE) ` + table)
			err := conn.QueryRow(t.Context(), `SELECT relallvisible = relpages FROM pg_class WHERE oid = $1::regclass`, table).Scan(&visible)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
