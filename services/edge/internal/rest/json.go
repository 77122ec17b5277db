package rest

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// Answers are appended by hand: a page costs a quarter of what a reflecting encoder needs and
// allocates nothing. A property test holds every function here to encoding/json.

// appendName begins a member of an object whose brace stands in b. Names need no escaping.
func appendName(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, name...)
	return append(b, '"', ':')
}

func appendText(b []byte, name, value string) []byte {
	return appendString(appendName(b, name), value)
}

func appendInt(b []byte, name string, value int64) []byte {
	return strconv.AppendInt(appendName(b, name), value, 10)
}

// appendInstant writes RFC 3339 in UTC with the fraction that is there, or null.
func appendInstant(b []byte, name string, value instant) []byte {
	b = appendName(b, name)
	if !value.set {
		return append(b, "null"...)
	}
	b = append(b, '"')
	b = value.AppendFormat(b, time.RFC3339Nano)
	return append(b, '"')
}

func appendAuditTime(b []byte, name string, value auditTime) []byte {
	b = append(appendName(b, name), '"')
	b = value.AppendFormat(b, auditLayout)
	return append(b, '"')
}

// verbatim marks the ASCII characters that a string holds as they are. Besides what JSON demands,
// <, > and & are escaped, so that an answer is harmless even inside an HTML page.
var verbatim = func() (set [utf8.RuneSelf]bool) {
	for c := range set {
		set[c] = c >= ' ' && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&'
	}
	return set
}()

// appendString writes a JSON string. Bytes that are no UTF-8 become U+FFFD.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	done := 0 // what stands before it has been appended
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if !verbatim[c] {
				b = append(b, s[done:i]...)
				b = appendEscape(b, rune(c))
				done = i + 1
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		// U+2028 and U+2029 end a line in older JavaScript.
		if r == utf8.RuneError && size == 1 || r == '\u2028' || r == '\u2029' {
			b = append(b, s[done:i]...)
			b = appendEscape(b, r)
			done = i + size
		}
		i += size
	}
	b = append(b, s[done:]...)
	return append(b, '"')
}

// appendEscape writes one character of the basic plane as an escape.
func appendEscape(b []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
