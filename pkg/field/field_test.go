package field_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
)

// message is what a check of one field says, or "" when the value passes.
func message(check func(c *field.Checks)) string {
	var c field.Checks
	check(&c)
	if err := c.Err(); err != nil {
		return err.Error()
	}
	return ""
}

func TestID(t *testing.T) {
	for value, want := range map[string]string{
		"a":                             "",
		"order/1 50%:ü":                 "",
		strings.Repeat("ü", 255):        "",
		strings.Repeat("ü", 256):        "todo id must be at most 255 characters",
		"":                              "todo id must not be empty",
		" \t\u00a0":                     "todo id must not be empty",
		".":                             `todo id must not be "."`,
		"..":                            `todo id must not be ".."`,
		"...":                           "",
		"a\x00b":                        "todo id must not contain NUL",
		"a\nb":                          "todo id must not contain control characters",
		"a\u0085b":                      "todo id must not contain control characters",
		"a\u2028b":                      "",
		"\u200b":                        "",
		strings.Repeat("\x01", 300):     "todo id must be at most 255 characters",
		strings.Repeat("a", 254) + "\n": "todo id must not contain control characters",
	} {
		if got := message(func(c *field.Checks) { c.ID("todo_id", value) }); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}

func TestText(t *testing.T) {
	for _, tt := range []struct {
		value    string
		presence field.Presence
		want     string
	}{
		{"", field.Optional, ""},
		{"", field.Required, "title must not be empty"},
		{" \n", field.Required, "title must not be empty"},
		{"line\nline", field.Required, ""},
		{"日本語", field.Required, ""},
		{"日本語だ", field.Required, "title must be at most 3 characters"},
		{"a\x00", field.Optional, "title must not contain NUL"},
	} {
		limit := 3
		if tt.value == "line\nline" {
			limit = 9
		}
		if got := message(func(c *field.Checks) { c.Text("title", tt.value, limit, tt.presence) }); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.value, got, tt.want)
		}
	}
}

func TestBytesCountsUTF8(t *testing.T) {
	if got := message(func(c *field.Checks) { c.Bytes("content", "üü", 4, field.Required) }); got != "" {
		t.Errorf("got %q", got)
	}
	want := "content must be at most 4 bytes"
	if got := message(func(c *field.Checks) { c.Bytes("content", "üüa", 4, field.Required) }); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestInstant(t *testing.T) {
	at := func(year int, zone *time.Location) *time.Time {
		v := time.Date(year, 1, 1, 0, 0, 0, 0, zone)
		return &v
	}
	east := time.FixedZone("", 3600)
	for _, tt := range []struct {
		name  string
		value *time.Time
		valid bool
	}{
		{"absent", nil, true},
		{"year 1", at(1, time.UTC), true},
		{"year 9999", at(9999, time.UTC), true},
		{"year 0", at(0, time.UTC), false},
		{"year 10000", at(10_000, time.UTC), false},
		{"year 0 in UTC", at(1, east), false},
	} {
		got := message(func(c *field.Checks) { c.Instant("due_at", tt.value) })
		if (got == "") != tt.valid {
			t.Errorf("%s: got %q", tt.name, got)
		}
	}
}

func TestTheFirstFaultStays(t *testing.T) {
	var c field.Checks
	c.ID("todo_id", "")
	c.URL("action_url", "javascript:alert(1)", field.Required)
	c.Username("assignee_username", "a\nb", field.Required)
	err := c.Err()
	var f *fault.Fault
	if !errors.As(err, &f) {
		t.Fatalf("got %v", err)
	}
	want := fault.Field("todo_id", "todo id must not be empty")
	if diff := cmp.Diff(want.Error()+want.Field, f.Error()+f.Field); diff != "" || f.Kind != fault.Invalid {
		t.Error(diff, f.Kind)
	}
}

func TestMicro(t *testing.T) {
	in := time.Date(2024, 2, 29, 23, 59, 59, 999_999_999, time.FixedZone("", 3600))
	want := time.Date(2024, 2, 29, 22, 59, 59, 999_999_000, time.UTC)
	if got := field.Micro(in); got != want {
		t.Errorf("got %v", got)
	}
	if got := field.MicroPtr(&in); *got != want {
		t.Errorf("got %v", got)
	}
	if field.MicroPtr(nil) != nil {
		t.Error("nil became a time")
	}
}
