package field_test

import (
	"strings"
	"testing"

	"example.com/hub/pkg/field"
)

func TestJSON(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`{"a":[`, n/2) + strings.Repeat("]}", n/2) }
	for value, want := range map[string]string{
		"":                                  "",
		"null":                              "",
		" 1.0 ":                             "",
		`"text \u0000 \" \ud800"`:           "",
		`{"a":1,"a":[{},[]]}`:               "",
		"[" + strings.Repeat(" ", 98) + "]": "",
		"[" + strings.Repeat(" ", 99) + "]": "payload must be at most 100 bytes",
		nested(4):                           "",
		"[" + nested(4) + "]":               "payload must be nested at most 4 deep",
		`"[[[[[["`:                          "",
		`"\"[[[[[["`:                        "",
		`["\\",[[[[0]]]]]`:                  "payload must be nested at most 4 deep",
		"[[[[0]],[[0]]]]":                   "",
		"[]]":                               "payload must be JSON",
		"[] []":                             "payload must be JSON",
		"{a:1}":                             "payload must be JSON",
		`"`:                                 "payload must be JSON",
		`"\`:                                "payload must be JSON",
		"\"\x00\"":                          "payload must be JSON",
		"\x00":                              "payload must be JSON",
		" ":                                 "payload must be JSON",
	} {
		if got := message(func(c *field.Checks) { c.JSON("payload", value, 100, 4) }); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}
