package field_test

import (
	"strings"
	"testing"

	"example.com/hub/pkg/field"
)

func TestURL(t *testing.T) {
	refused := []string{
		"javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", "blob:https://x",
		"filesystem:x", "file:///etc/passwd", "about:blank",
		// Browsers skip blanks at the start, and tabs and line feeds anywhere.
		" javascript:alert(1)", "\tjavascript:alert(1)", "java\nscript:alert(1)", "java\tscript:alert(1)",
		"\u00a0https://x", "\x01javascript:x", "javascript\x00:x",
		// Browsers read a backslash as a slash.
		`\\evil.example`, `/\evil.example`, `https:\\x`, "//evil.example/x",
		strings.Repeat("a", field.MaxURL+1),
	}
	for _, value := range refused {
		if got := message(func(c *field.Checks) { c.URL("action_url", value, field.Optional) }); got == "" {
			t.Errorf("%.40q passed", value)
		}
	}
	accepted := []string{
		"", "https://erp.example/po/1?x=javascript:1#data:", "http://h", "/po/1", "po/1", "?x", "#x", "erp://po/1",
		"mailto:a@b.example", "tel:+49", "weixin://x", "1:2", "a b", "javascripts:x", "日本語:x", "x:y:z",
		strings.Repeat("a", field.MaxURL),
	}
	for _, value := range accepted {
		if got := message(func(c *field.Checks) { c.URL("action_url", value, field.Optional) }); got != "" {
			t.Errorf("%.40q: %s", value, got)
		}
	}
	if got := message(func(c *field.Checks) { c.URL("action_url", " ", field.Required) }); got != "action url must not be empty" {
		t.Errorf("got %q", got)
	}
}

func TestURLSchemesAreAnAllowList(t *testing.T) {
	for value, ok := range map[string]bool{
		"https://x": true, "HTTPS://x": true, "erp:1": true, "/relative": true, "http://x": false, "ftp://x": false,
		"javascript:1": false,
	} {
		c := field.Checks{Schemes: []string{"https", "erp", "javascript"}}
		c.URL("action_url", value, field.Required)
		if (c.Err() == nil) != ok {
			t.Errorf("%q: %v", value, c.Err())
		}
	}
}
