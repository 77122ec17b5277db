package file

import (
	"strings"
	"testing"
)

func TestNamesAreWithoutTheirPaths(t *testing.T) {
	for name, want := range map[string]string{
		"": "file", "a.png": "a.png", "../../etc/passwd": "passwd", `C:\Users\amy\a.png`: "a.png", "/a.png": "a.png", `..\..\a`: "a",
		`"; filename="b.html`: `"; filename="b.html`, "..png": "..png", " a b ": "a b", "Ä\u0308\U0001f600.pdf": "Ä\u0308\U0001f600.pdf",
		"%2e%2e%2fa": "%2e%2e%2fa", "\u05d0\u200f.png": "\u05d0\u200f.png", strings.Repeat("ä", 255): strings.Repeat("ä", 255),
	} {
		if got, err := baseName(name); got != want || err != nil {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
}

func TestNamesThatMisleadAreRefused(t *testing.T) {
	for name, want := range map[string]string{
		"../":                    "name must not be empty",
		"a/.":                    `name must not be "."`,
		"..":                     `name must not be ".."`,
		" ":                      "name must not be empty",
		"a\r\nX: y":              "name must not contain control characters",
		"a\x00.png":              "name must not contain NUL",
		"a\x7f":                  "name must not contain control characters",
		"a\u0085b":               "name must not contain control characters",
		"exe.\u202egpj":          "name must not contain control characters",
		"a\u2066b":               "name must not contain control characters",
		"a\u2028b":               "name must not contain control characters",
		"a\xffb":                 "name must not contain control characters",
		strings.Repeat("ä", 256): "name must be at most 255 characters",
	} {
		if got, err := baseName(name); err == nil || err.Error() != want {
			t.Errorf("%q: %q, %v, want %s", name, got, err, want)
		}
	}
}
