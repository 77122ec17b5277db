// Package show writes what Hub answered for people and for programs. What other people wrote, such as the
// title of a todo, never reaches a terminal with characters that it obeys.
package show

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text makes a text fit for a line of a terminal: line breaks and tabs become blanks, and what a terminal
// obeys or nobody can see is written as an escape, such as \x1b and \u202e.
func Text(s string) string {
	return escape(s, true)
}

// Lines is Text that leaves line breaks as they are.
func Lines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Text(line)
	}
	return strings.Join(lines, "\n")
}

func escape(s string, blanks bool) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case blanks && (r == '\n' || r == '\t' || r == '\r' || r == '\u2028' || r == '\u2029'):
			b.WriteByte(' ')
		case !hidden(r):
			b.WriteString(s[i : i+size])
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += size
	}
	return b.String()
}

// hidden tells whether a terminal may obey a character or show another order of text because of it. The
// joiners U+200C and U+200D belong to words and pictures, and stay.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d' ||
		unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
}
