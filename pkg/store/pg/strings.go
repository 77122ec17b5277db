package pg

import "strings"

// maxStrings is the most text columns of a row.
const maxStrings = 20

// Strings are the text columns of a row, which share one string: a page has hundreds, and each would be an
// allocation of its own. They come straight from the driver's bytes, without its Scan.
type Strings struct {
	columns [maxStrings]text
	n       int
}

type text struct {
	column int
	into   *string
}

// Take takes each *string out of what a row is scanned into, so that Scan leaves its column out, and gives
// what is left. There are at most 20.
func (t *Strings) Take(into []any) []any {
	for i, place := range into {
		if s, ok := place.(*string); ok {
			t.columns[t.n] = text{i, s}
			t.n++
			into[i] = nil
		}
	}
	return into
}

// Share sets the strings from the values of a row, in the order of Take and as the driver has them. Null is
// empty, and a column that is not there leaves its string as it is.
func (t *Strings) Share(values [][]byte) {
	columns, size := t.columns[:t.n], 0
	for i, c := range columns {
		if c.column >= len(values) {
			columns = columns[:i]
			break
		}
		size += len(values[c.column])
	}
	var all strings.Builder
	all.Grow(size)
	for _, c := range columns {
		all.Write(values[c.column])
	}
	rest := all.String()
	for _, c := range columns {
		n := len(values[c.column])
		*c.into, rest = rest[:n], rest[n:]
	}
}
