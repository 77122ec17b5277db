package people

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/hub/pkg/field"
)

// maxEmail is the longest address in characters (RFC 5321, section 4.5.3.1: 64, the @ and 255).
const maxEmail = 320

// The most entries of lists in requests.
const (
	MaxMembers = 10_000
	MaxResolve = 10_000
)

// optionalID checks an identifier that may be empty.
func optionalID(c *field.Checks, name, value string) {
	if value != "" {
		c.ID(name, value)
	}
}

func checkEmail(c *field.Checks, name, value string) {
	if value != "" && !isEmail(value) {
		c.Fail(name, "must be an address of at most %d characters, with an @ and without blanks", maxEmail)
	}
}

// isEmail tells a typing error from an address. Whether somebody reads it only a letter can tell.
func isEmail(text string) bool {
	at := strings.LastIndexByte(text, '@')
	odd := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	return at > 0 && at < len(text)-1 && !strings.ContainsFunc(text, odd) && utf8.RuneCountInString(text) <= maxEmail
}
