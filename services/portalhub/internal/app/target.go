package app

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/hub/pkg/field"
)

// maxTarget is the longest path to jump to, in bytes, with its query.
const maxTarget = 2048

// resolve gives the address of a jump: that of the entry, or of a path below it, which may have a query. Nothing
// in it can name another host, since the origin is put before a path that begins with the path of the entry; and
// no reader of the path, however often he decodes it, comes out above that.
func resolve(entryURL, to string) (string, error) {
	e, err := parseEntry(entryURL)
	if err != nil {
		return "", fmt.Errorf("a stored entry URL %w", err)
	}
	if to == "" {
		return entryURL, nil
	}
	var c field.Checks
	c.Bytes("to", to, maxTarget, field.Required)
	path, query, _ := strings.Cut(to, "?")
	if !strings.HasPrefix(path, e.path) {
		c.Fail("to", "must be empty or a path below %s", e.path)
	}
	if err := checkPath(path); err != nil {
		c.Fail("to", "%s", err)
	}
	if !escaped(query, "/?[]") {
		c.Fail("to", "must have a query in the form of URLs")
	}
	return e.origin + to, c.Err()
}

var (
	errForm = errors.New("must be in the form of URLs: other characters are percent-encoded")
	errPath = errors.New("must have a path without empty, . and .. segments, backslashes and control characters, also when it is decoded")
)

// checkPath checks a path that begins with a slash, at every step of decoding it until nothing is left to decode.
func checkPath(path string) error {
	if !escaped(path, "/") {
		return errForm
	}
	for {
		if !plain(path) {
			return errPath
		}
		decoded := decode(path)
		if decoded == path {
			return nil
		}
		path = decoded
	}
}

// plain tells whether everybody takes a path for itself. Of a segment only what stands before a semicolon counts,
// as in servers that take the rest for parameters of it, and dots and blanks at its end do not, as in Windows.
func plain(path string) bool {
	if !utf8.ValidString(path) || strings.ContainsFunc(path, func(r rune) bool { return r == '\\' || unicode.IsControl(r) }) {
		return false
	}
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, segment := range segments {
		if segment == "" && i == len(segments)-1 {
			continue // a slash at the end
		}
		name, _, _ := strings.Cut(segment, ";")
		if strings.TrimRight(name, ". ") == "" {
			return false
		}
	}
	return true
}

// escaped tells whether text has only characters that a path segment has (RFC 3986, section 3.3), and the further
// ones, and what is percent-encoded is whole.
func escaped(text, further string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case isLower(c), isDigit(c), c >= 'A' && c <= 'Z', strings.IndexByte("-._~!$&'()*+,;=:@", c) >= 0, strings.IndexByte(further, c) >= 0:
		case c == '%' && isEncoded(text[i:]):
		default:
			return false
		}
	}
	return true
}

// decode takes away one step of percent-encoding. What only looks like one stays, as with lenient readers.
func decode(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && isEncoded(text[i:]) {
			b.WriteByte(hex(text[i+1])<<4 | hex(text[i+2]))
			i += 2
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// isEncoded tells whether text begins with a percent sign and two hexadecimal digits.
func isEncoded(text string) bool { return len(text) >= 3 && hex(text[1]) < 16 && hex(text[2]) < 16 }

// hex is the value of a hexadecimal digit, or 255.
func hex(c byte) byte {
	switch {
	case isDigit(c):
		return c - '0'
	case isLower(c|0x20) && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}
