package eventcenter

import (
	"errors"
	"strings"
	"unicode/utf8"
)

var (
	errSteps    = errors.New("the path must not have . or .. segments, backslashes or NUL, in any encoding")
	errEncoding = errors.New("the path must be UTF-8, in any encoding")
)

// checkPath refuses an escaped path that somebody behind might take for another one. Nobody knows how often it
// is decoded there, so it is judged as it is when nothing is left to decode. What follows a semicolon in a
// segment is dropped by some servers as parameters (RFC 3986, section 3.3). Bytes that are no UTF-8 are refused
// with it, since lenient decoders read dots and slashes from them.
func checkPath(escaped string) error {
	decoded := decode(escaped)
	if !utf8.Valid(decoded) {
		return errEncoding
	}
	for segment := range strings.SplitSeq(string(decoded), "/") {
		name, _, _ := strings.Cut(segment, ";")
		if name == "." || name == ".." || strings.ContainsAny(segment, "\\\x00") {
			return errSteps
		}
	}
	return nil
}

// decode replaces percent escapes until there are none. One pass does that, as each replacement looks back
// whether it completes another escape.
func decode(escaped string) []byte {
	out := make([]byte, 0, len(escaped))
	for i := range len(escaped) {
		out = append(out, escaped[i])
		for n := len(out); n >= 3 && out[n-3] == '%'; n = len(out) {
			high, low := hexValue(out[n-2]), hexValue(out[n-1])
			if high < 0 || low < 0 {
				break
			}
			out = append(out[:n-3], byte(high<<4|low))
		}
	}
	return out
}

// hexValue is that of a hexadecimal digit, or -1.
func hexValue(c byte) int { return strings.IndexByte("0123456789abcdef", lower(c)) }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
