package pg

import (
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
)

// maxStrings is the most text columns of a row.
const maxStrings = 20

// Strings are the text columns of a row, which share one string: a page has hundreds, and each would be an
// allocation of its own.
type Strings struct {
	columns [maxStrings]text
	n       int
}

type text struct {
	// sent is the driver's, until its next row.
	sent pgtype.DriverBytes
	into *string
}

// Into gives what to scan the next column into, in the place of s. There are at most 20.
func (t *Strings) Into(s *string) any {
	c := &t.columns[t.n]
	t.n++
	c.into = s
	return &c.sent
}

// Share sets the strings of a row that was scanned; null is empty.
func (t *Strings) Share() {
	columns, size := t.columns[:t.n], 0
	for i := range columns {
		size += len(columns[i].sent)
	}
	var all strings.Builder
	all.Grow(size)
	for i := range columns {
		all.Write(columns[i].sent)
	}
	rest := all.String()
	for i := range columns {
		n := len(columns[i].sent)
		*columns[i].into, rest = rest[:n], rest[n:]
	}
}
