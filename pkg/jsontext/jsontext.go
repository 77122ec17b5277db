// Package jsontext writes JSON strings without a reflecting encoder and without allocating.
package jsontext

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// verbatim marks the ASCII characters that a string holds as they are. Besides what JSON demands,
// <, > and & are escaped, so that an answer is harmless even inside an HTML page.
var verbatim = func() (set [utf8.RuneSelf]bool) {
	for c := range set {
		set[c] = c >= ' ' && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&'
	}
	return set
}()

// AppendString writes a JSON string. Bytes that are no UTF-8 become U+FFFD.
func AppendString(b []byte, s string) []byte {
	return append(AppendEscaped(append(b, '"'), s), '"')
}

// AppendEscaped writes the inside of a JSON string.
func AppendEscaped(b []byte, s string) []byte {
	done := 0 // what stands before it has been appended
	for i := 0; i < len(s); {
		if n := verbatimPrefix(s[i:]); n > 0 {
			i += n
			continue
		}
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
	return append(b, s[done:]...)
}

// verbatimPrefix counts verbatim bytes in front, eight at a time; it may leave out the last seven.
// Each term sets the top bit of the bytes that are not verbatim: a byte with one has it already, and a
// subtraction sets it in a byte that is too small. Its borrow reaches only bytes behind such a one.
func verbatimPrefix(s string) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+8 <= len(s); n += 8 {
		word := binary.LittleEndian.Uint64([]byte(s[n : n+8]))
		other := word | (word - ' '*ones) | (word ^ '"'*ones - ones) | (word ^ '\\'*ones - ones) |
			(word ^ '<'*ones - ones) | (word ^ '>'*ones - ones) | (word ^ '&'*ones - ones)
		if other&tops != 0 {
			return n + bits.TrailingZeros64(other&tops)/8
		}
	}
	return n
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
