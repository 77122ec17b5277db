package jsontext_test

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/hub/pkg/jsontext"
)

// TestStringsAreThoseOfTheStandardLibrary has each special character at each place of a word of eight bytes.
func TestStringsAreThoseOfTheStandardLibrary(t *testing.T) {
	special := []string{
		"", "a", `"`, `\`, "<", ">", "&", "\x7f", "\u2028", "\u2029", "\u2027", "é", "\uFFFD", "\U0001F4EB",
		"\xff", "\xc3", "\xed\xa0\x80", "\xe2\x80",
	}
	for c := range byte(' ') {
		special = append(special, string(c))
	}
	for _, text := range special {
		for n := range 20 {
			s := strings.Repeat("x", n) + text + strings.Repeat("y", 20-n)
			want, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			if got := jsontext.AppendString(nil, s); string(got) != string(want) {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	}
}
