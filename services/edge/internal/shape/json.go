package shape

import (
	"bytes"
	"time"
)

// Answers are appended by hand: a page costs less than half of what a reflecting encoder needs
// (docs/performance.md has the figures), and allocates nothing here. A property test holds every
// function here to encoding/json.

// appendInstant writes RFC 3339 with the fraction that is there, cut to microseconds.
func appendInstant(b []byte, t time.Time) []byte {
	b = append(b, '"')
	b = t.Truncate(time.Microsecond).AppendFormat(b, time.RFC3339Nano)
	return append(b, '"')
}

// appendLocal writes yyyy-MM-dd HH:mm:ss by way of RFC 3339, for which the standard library has a short cut.
func appendLocal(b []byte, t time.Time) []byte {
	b = append(b, '"')
	start := len(b)
	b = t.AppendFormat(b, time.RFC3339)
	sep := start + bytes.IndexByte(b[start:], 'T')
	b[sep] = ' '
	return append(b[:sep+len(" 15:04:05")], '"')
}
