package scenario

import (
	"context"
	"errors"
	"fmt"
	"regexp"
)

// lastList is the text of the last list that the service ran.
const lastList = `
SELECT query
FROM pg_stat_activity
WHERE application_name = 'hub-messagehub' AND query LIKE '%LIMIT $2 OFFSET $3%'
ORDER BY query_start DESC
LIMIT 1`

// counting is the part of that text which counts the total.
var counting = regexp.MustCompile(`(?s)\(SELECT count\(\*\) AS n.*?\) AS total`)

var errNoTotal = errors.New("the statement of the list counts no total")

// lookups is how often the statement is looked for: the service may have run another one on the same
// connection by then.
const lookups = 50

// rowsOnly is the statement of a list of a named user in the default order, with its count taken out.
func (r reader) rowsOnly(ctx context.Context, user string) (query string, err error) {
	for range lookups {
		if _, err = r.list(user, 0); err != nil {
			return "", err
		}
		if err = r.db.QueryRow(ctx, lastList).Scan(&query); err == nil {
			break
		}
	}
	if err != nil {
		return "", fmt.Errorf("find the statement of the list: %w", err)
	}
	alone := counting.ReplaceAllString(query, "(SELECT 0::bigint AS n) AS total")
	if alone == query {
		return "", errNoTotal
	}
	return alone, nil
}

// pageRows gives the milliseconds of the rows of a page of 20: the median of several runs of the
// statement that the service runs for it, with its count taken out. A page and its exact total are one
// statement, of which only the count may grow with the inbox.
func (r reader) pageRows(ctx context.Context, user string, offset int64) (float64, error) {
	return median(r.env.size(50, 3), func() error {
		rows, err := r.db.Query(ctx, r.page, user, int64(20), offset)
		if err != nil {
			return err
		}
		defer rows.Close()
		n := 0
		for rows.Next() {
			n++
		}
		if n != 20 && rows.Err() == nil {
			return fmt.Errorf("the page has %d rows", n)
		}
		return rows.Err()
	})
}
