// Package reconcile is what the lists have in common by which clients tell a hub what is still there, so that
// the hub closes the rest.
package reconcile

import (
	"strconv"
	"time"

	"example.com/hub/pkg/field"
)

const (
	// maxAge is the oldest list that is taken.
	maxAge = 24 * time.Hour
	// defaultClose and maxClose are how many entries one call closes at most.
	defaultClose, maxClose = 100, 10_000
	// MaxClosedIDs is how many ids of closed entries an answer has.
	MaxClosedIDs = 200
)

// Range is what a list covers, and what may be done about it.
type Range struct {
	// AsOf is when the list was made; nil is refused.
	AsOf *time.Time
	// From is the id behind which the range begins.
	From string
	// To is the last id of the range; nil is no end.
	To *string
	// MaxClose is nil for the default.
	MaxClose *int64
	// DryRun closes nothing.
	DryRun bool
}

// Check checks as_of, from and to, and gives the whole second of AsOf: a list made within the second of now
// is not from the future.
func (r Range) Check(c *field.Checks, now time.Time) time.Time {
	var asOf time.Time
	switch {
	case r.AsOf == nil:
		c.Fail("as_of", "must not be empty")
	case r.AsOf.Truncate(time.Second).After(now):
		c.Fail("as_of", "must not be in the future")
	case r.AsOf.Before(now.Add(-maxAge)):
		c.Fail("as_of", "must not be older than 24 hours")
	default:
		asOf = r.AsOf.UTC().Truncate(time.Second)
	}
	c.Text("from", r.From, field.MaxID, field.Optional)
	if r.To != nil {
		c.Text("to", *r.To, field.MaxID, field.Optional)
		if *r.To < r.From {
			c.Fail("to", "must not be before from")
		}
	}
	return asOf
}

// CheckMaxClose checks max_close, and gives what it is or the default.
func (r Range) CheckMaxClose(c *field.Checks) int64 {
	if r.MaxClose == nil {
		return defaultClose
	}
	if *r.MaxClose < 1 || *r.MaxClose > maxClose {
		c.Fail("max_close", "must be an integer from 1 to %d", maxClose)
	}
	return *r.MaxClose
}

// CheckOpen checks that n ids are ascending and inside the range. It stops at the first fault, which it names
// open[3] with the member behind it.
func (r Range) CheckOpen(c *field.Checks, member string, n int, id func(i int) string) {
	c.Entries("open", n, field.MaxOpen)
	last := r.From
	for i := 0; i < n && c.Err() == nil; i++ {
		this := id(i)
		var alone field.Checks
		alone.ID("", this)
		// The name is only made when it is needed; there may be 20,000 of them.
		if fault := r.place(this, last); fault != "" || alone.Err() != nil {
			name := "open[" + strconv.Itoa(i) + "]" + member
			c.ID(name, this)
			c.Fail(name, "%s", fault)
		}
		last = this
	}
}

// place says what is wrong with the place of an id behind the last one.
func (r Range) place(id, last string) string {
	switch {
	case id <= last:
		return "must be behind from and behind the id before it"
	case r.To != nil && id > *r.To:
		return "must not be behind to"
	}
	return ""
}
