package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// pageRows measures what a page costs without its total, which is counted in the same statement. It
// takes the text of the statement that the service just ran from PostgreSQL, and runs it as the service
// does, prepared: whole, and with the count taken out. That the rest has the same plan either way is
// checked.
type pageRows struct {
	db *pgx.Conn
	// page tells the statements of one page from those of another one.
	page string
}

// The prepared statements; the page's name stands in front.
const (
	wholePage = "_whole"
	rowsAlone = "_rows_alone"
)

// lastList is the text of the last list that the service ran.
const lastList = `
SELECT query
FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%LIMIT $2 OFFSET $3%'
ORDER BY query_start DESC
LIMIT 1`

// counting is the part of that text which counts the total, and nothing the same without it: a value in
// front of a shallow page, and a table beside a deep one.
var counting = regexp.MustCompile(`\(SELECT count\(\*\) AS n[^()]*\)`)

const nothing = "(SELECT 0::bigint AS n)"

var (
	errNoTotal   = errors.New("the statement of the list counts no total")
	errOtherPlan = errors.New("without its count, the statement of the list has another plan")
)

// lookups is how often the statement is looked for: the service may have run another one on the same
// connection by then.
const lookups = 50

// keeping is how often a prepared statement runs until PostgreSQL has decided whether to keep a plan.
const keeping = 6

// timed is a function for this session that gives the milliseconds of a statement at the server:
// without the way to the client, and without the clocks of EXPLAIN ANALYZE, which cost more than the
// steps that they measure.
const timed = `
CREATE OR REPLACE FUNCTION pg_temp.timed(statement text) RETURNS double precision LANGUAGE plpgsql AS $$
DECLARE
	began timestamptz := clock_timestamp();
BEGIN
	EXECUTE statement;
	RETURN extract(epoch FROM clock_timestamp() - began) * 1000;
END $$`

// newPageRows prepares the statement of a page of a named user in the default order, which list runs.
func newPageRows(ctx context.Context, db *pgx.Conn, page string, list func() error) (pageRows, error) {
	p := pageRows{db, page}
	query, err := p.find(ctx, list)
	if err != nil {
		return p, fmt.Errorf("find the statement of the list: %w", err)
	}
	alone := counting.ReplaceAllString(query, nothing)
	if alone == query {
		return p, errNoTotal
	}
	if _, err := db.Exec(ctx, timed); err != nil {
		return p, err
	}
	for name, text := range map[string]string{wholePage: query, rowsAlone: alone} {
		if _, err := db.Exec(ctx, "PREPARE "+page+name+" (text, bigint, bigint) AS "+text); err != nil {
			return p, fmt.Errorf("prepare the list: %w", err)
		}
	}
	return p, nil
}

func (p pageRows) find(ctx context.Context, list func() error) (query string, err error) {
	for range lookups {
		if err = list(); err != nil {
			return "", err
		}
		if err = p.db.QueryRow(ctx, lastList).Scan(&query); err == nil {
			return query, nil
		}
	}
	return "", err
}

// step is a step of a plan, as EXPLAIN (FORMAT JSON) gives it.
type step struct {
	Type     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Index    string  `json:"Index Name"`
	Rows     float64 `json:"Actual Rows"`
	Hit      int     `json:"Shared Hit Blocks"`
	Read     int     `json:"Shared Read Blocks"`
	Plans    []step
}

// reads lists what the steps read, but for what a count does.
func (s step) reads() []string {
	if strings.HasSuffix(s.Type, "Aggregate") {
		return nil
	}
	var all []string
	if s.Relation != "" {
		all = append(all, s.Type+" "+s.Relation+" "+s.Index)
	}
	for _, below := range s.Plans {
		all = append(all, below.reads()...)
	}
	return all
}

// execute is the text that runs a prepared statement.
func execute(statement, user string, offset int) string {
	return fmt.Sprintf("EXECUTE %s ('%s', 20, %d)", statement, user, offset)
}

// explain runs a prepared statement and gives its first step, with the blocks of 8 KiB that all steps
// looked at.
func (p pageRows) explain(ctx context.Context, statement, user string, offset int) (step, error) {
	text := "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) " + execute(p.page+statement, user, offset)
	var plan []byte
	if err := p.db.QueryRow(ctx, text, pgx.QueryExecModeSimpleProtocol).Scan(&plan); err != nil {
		return step{}, err
	}
	var plans []struct{ Plan step }
	if err := json.Unmarshal(plan, &plans); err != nil {
		return step{}, err
	}
	if rows := plans[0].Plan.Rows; rows != 20 {
		return step{}, fmt.Errorf("the page of %s at %d has %v rows", user, offset, rows)
	}
	return plans[0].Plan, nil
}

// check compares the plans of the whole statement and of that without the count, and gives the number
// of blocks that the latter looks at.
func (p pageRows) check(ctx context.Context, user string, offset int) (blocks int, err error) {
	var reads [2][]string
	for i, statement := range []string{wholePage, rowsAlone} {
		for range keeping {
			plan, err := p.explain(ctx, statement, user, offset)
			if err != nil {
				return 0, err
			}
			reads[i], blocks = plan.reads(), plan.Hit+plan.Read
		}
	}
	if !slices.Equal(reads[0], reads[1]) {
		return 0, fmt.Errorf("%w: %q, and %q", errOtherPlan, reads[0], reads[1])
	}
	return blocks, nil
}

// milliseconds takes the server's own time for a statement.
func (p pageRows) milliseconds(ctx context.Context, statement, user string, offset int) func() (float64, error) {
	text := execute(p.page+statement, user, offset)
	return func() (ms float64, err error) {
		err = p.db.QueryRow(ctx, "SELECT pg_temp.timed($1)", text).Scan(&ms)
		return ms, err
	}
}
