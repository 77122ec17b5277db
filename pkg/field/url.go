package field

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// activeSchemes run or read something in the browser of whoever follows such a link.
var activeSchemes = []string{"javascript", "data", "vbscript", "blob", "filesystem", "file", "about"}

// URL checks an address that a portal will put into a link. It must not run anything, must not leave
// the portal's origin without a scheme ("//host"), and must not hide its scheme behind characters
// that browsers skip (WHATWG URL, basic URL parser). Every other string is taken as it is, so that
// relative paths and deep links work.
func (c *Checks) URL(name, value string, p Presence) {
	if c.first != nil {
		return
	}
	c.Text(name, value, MaxURL, p)
	if value == "" {
		return
	}
	switch {
	case strings.ContainsFunc(value, unicode.IsControl):
		c.Fail(name, "must not contain control characters")
	case strings.Contains(value, `\`):
		c.Fail(name, "must not contain backslashes")
	case strings.IndexFunc(value, unicode.IsSpace) == 0:
		c.Fail(name, "must not start with a blank")
	case strings.HasPrefix(value, "//"):
		c.Fail(name, "must not start with //")
	}
	scheme := scheme(value)
	switch {
	case slices.Contains(activeSchemes, scheme):
		c.Fail(name, "must not use the scheme %s", scheme)
	case scheme != "" && len(c.Schemes) > 0 && !slices.Contains(c.Schemes, scheme):
		c.Fail(name, "must use one of the schemes %s", strings.Join(c.Schemes, ", "))
	}
}

var filePath = regexp.MustCompile(`^/files/[0-9a-f]{32}$`)

// File checks the address of one of Hub's own files, which may be empty.
func (c *Checks) File(name, value string) {
	if value != "" && !filePath.MatchString(value) {
		c.Fail(name, "must be empty or /files/ with the id of a file")
	}
}

// scheme gives the lower-case scheme of an absolute URL, or "" (RFC 3986 section 3.1).
func scheme(s string) string {
	before, _, found := strings.Cut(s, ":")
	if !found {
		return ""
	}
	for i, r := range before {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		other := r >= '0' && r <= '9' || r == '+' || r == '-' || r == '.'
		if !letter && (i == 0 || !other) {
			return ""
		}
	}
	return strings.ToLower(before)
}
