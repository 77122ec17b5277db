// Package configtest checks the words of a binary about settings that are wrong.
package configtest

import (
	"strings"
	"testing"

	"example.com/hub/pkg/config"
)

// wrong are values of which every setting that can be wrong takes at least one for wrong.
var wrong = []string{
	"?", "-1", "15", "1e99", "99999999999999999999", "soon", "15 s", "4MB", "200%", "true!", "none of these",
	"a,,b", "host:port:more", "http://[", "postgres://u:p@h:x/d", "postgres://[h", "postgres://h/d?pool_max_conns=x", "host=h port=x", "redis://h:x", "%zz", " ", "\x7f",
}

// goWords are the words of Go's own packages, and of others below a setting, which tell nothing to a
// person at a keyboard.
var goWords = []string{
	"strconv", "ParseInt", "parsing", "invalid syntax", "out of range", "time:", "missing unit", "unknown time zone", "json:", "unmarshal",
	"slog:", "reflect", "parse error", "parse \"", "env:", "net/url", "url:", "netip", "regexp", "missing port", "lookup ", "first path segment",
}

// Words gives every setting of a struct type wrong values, one at a time, and wants faults that begin
// with the name of a setting and use no words of Go.
func Words[T any](t *testing.T) {
	t.Helper()
	for _, s := range config.Settings(new(T)) {
		for _, value := range wrong {
			err := config.Load(new(T), []string{s.Name + "=" + value})
			if err == nil {
				continue
			}
			for line := range strings.SplitSeq(err.Error(), "\n") {
				checkLine(t, s, value, line)
			}
		}
	}
}

func checkLine(t *testing.T, s config.Setting, value, line string) {
	t.Helper()
	name, reason, found := strings.Cut(line, ": ")
	if !found || !strings.HasPrefix(name, "HUB_") && !strings.HasPrefix(name, "OTEL_") || reason == "" {
		t.Errorf("%s=%s: %q does not begin with a setting", s.Name, value, line)
	}
	for _, word := range goWords {
		if strings.Contains(reason, word) {
			t.Errorf("%s=%s: %q has %q", s.Name, value, line, word)
		}
	}
}
