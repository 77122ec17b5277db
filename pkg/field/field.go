// Package field holds the rules that both areas apply to what a caller sends: presence, lengths,
// characters, URLs, instants and paging.
//
// A Checks value runs through the fields of one request in the order of the contract's tables and
// keeps the first fault only, since the contract answers only that one.
package field

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.com/hub/pkg/fault"
)

// The longest values, in characters unless the name says bytes. The contract names none.
const (
	MaxID           = 255
	MaxUsername     = 128
	MaxCategory     = 128
	MaxLabel        = 128
	MaxTitle        = 1024
	MaxSummary      = 4096
	MaxReason       = 1024
	MaxResult       = 255
	MaxURL          = 2048
	MaxContentBytes = 65_536
)

// Presence says whether a field may be left out.
type Presence bool

// A Required field must hold more than blanks; an Optional one may be empty.
const (
	Optional Presence = false
	Required Presence = true
)

// Checks collects the first fault of a request. The zero value is ready.
//
// Field names are the snake_case names of the proto, with an index or a path where that helps
// ("actions[0].url"); messages say them with blanks instead of underscores.
type Checks struct {
	// Schemes, when not empty, are the only URL schemes allowed, in lower case. Addresses without a
	// scheme stay allowed.
	Schemes []string

	first *fault.Fault
}

// Err gives the first fault, or nil.
func (c *Checks) Err() error {
	if c.first == nil {
		return nil
	}
	return c.first
}

// Fail records a fault of the field, unless there is one already; the format goes on after the
// field's name ("must be ...").
func (c *Checks) Fail(name, format string, args ...any) {
	if c.first == nil {
		c.first = fault.Field(name, strings.ReplaceAll(name, "_", " ")+" "+fmt.Sprintf(format, args...))
	}
}

// ID checks a required identifier: at most MaxID characters, no control characters, and neither
// "." nor "..", which no URL path can carry (WHATWG URL, path state).
func (c *Checks) ID(name, value string) {
	c.identifier(name, value, MaxID, Required)
	if value == "." || value == ".." {
		c.Fail(name, "must not be %q", value)
	}
}

// BusinessID checks a required identifier that never stands in a path.
func (c *Checks) BusinessID(name, value string) {
	c.identifier(name, value, MaxID, Required)
}

// Username checks a user's name: at most MaxUsername characters, no control characters.
func (c *Checks) Username(name, value string, p Presence) {
	c.identifier(name, value, MaxUsername, p)
}

func (c *Checks) identifier(name, value string, limit int, p Presence) {
	if c.first != nil {
		return
	}
	c.Text(name, value, limit, p)
	if strings.ContainsFunc(value, unicode.IsControl) {
		c.Fail(name, "must not contain control characters")
	}
}

// Text checks free text of at most limit characters.
func (c *Checks) Text(name, value string, limit int, p Presence) {
	if c.first != nil || !c.present(name, value, p) {
		return
	}
	// Counting characters costs a pass; no string of at most limit bytes can be too long.
	if len(value) > limit && utf8.RuneCountInString(value) > limit {
		c.Fail(name, "must be at most %d characters", limit)
	}
	c.noNUL(name, value)
}

// Bytes checks free text of at most limit bytes of UTF-8.
func (c *Checks) Bytes(name, value string, limit int, p Presence) {
	if c.first != nil || !c.present(name, value, p) {
		return
	}
	if len(value) > limit {
		c.Fail(name, "must be at most %d bytes", limit)
	}
	c.noNUL(name, value)
}

func (c *Checks) present(name, value string, p Presence) bool {
	if p == Required && strings.TrimSpace(value) == "" {
		c.Fail(name, "must not be empty")
		return false
	}
	return true
}

// noNUL refuses the one character that PostgreSQL cannot store in text.
func (c *Checks) noNUL(name, value string) {
	if strings.IndexByte(value, 0) >= 0 {
		c.Fail(name, "must not contain NUL")
	}
}

// Entries checks the length of a list of n entries.
func (c *Checks) Entries(name string, n, limit int) {
	if n > limit {
		c.Fail(name, "must have at most %d entries", limit)
	}
}

// Instant checks an optional time: nil is absent, otherwise the year must be from 1 to 9999
// (RFC 3339 section 5.6).
func (c *Checks) Instant(name string, value *time.Time) {
	if value == nil {
		return
	}
	if y := value.UTC().Year(); y < 1 || y > 9999 {
		c.Fail(name, "must be an RFC 3339 instant of the years 1 to 9999")
	}
}

// Micro cuts t to microseconds in UTC, the precision that every store keeps.
func Micro(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// MicroPtr is Micro for an optional time.
func MicroPtr(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	cut := Micro(*t)
	return &cut
}
