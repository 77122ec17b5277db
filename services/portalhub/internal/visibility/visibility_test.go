package visibility_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/field"
	"example.com/hub/services/portalhub/internal/visibility"
)

func TestAListAdmitsWhoIsNamedInAnyWay(t *testing.T) {
	amy := []string{"user:amy", "dept:sales", "dept:company", "role:staff"}
	for _, tt := range []struct {
		list []string
		want bool
	}{
		{nil, true},
		{[]string{}, true},
		{[]string{"user:amy"}, true},
		{[]string{"user:ben", "dept:company"}, true},
		{[]string{"role:staff"}, true},
		{[]string{"user:ben"}, false},
		{[]string{"dept:amy", "role:amy", "user:staff"}, false},
		{[]string{"user:Amy", "user:amy ", "dept:sale", "dept:sales2"}, false},
	} {
		if got := visibility.Admits(tt.list, amy); got != tt.want {
			t.Errorf("%q: %v", tt.list, got)
		}
	}
	if visibility.Admits([]string{"user:"}, nil) {
		t.Error("somebody without subjects is admitted")
	}
}

func TestListsAreChecked(t *testing.T) {
	long := make([]string, visibility.MaxEntries+1)
	for i := range long {
		long[i] = fmt.Sprint("user:", i)
	}
	for want, list := range map[string][]string{
		"visible for must have at most 100 entries":          long,
		"visible for[1] must be user:ID, dept:ID or role:ID": {"user:a", "group:b"},
		"visible for[0] must be user:ID, dept:ID or role:ID": {""},
		"visible for[0] must not be empty":                   {"dept:"},
		"visible for[0] must not contain control characters": {"role:a\n"},
		"visible for[0] must be at most 255 characters":      {"user:" + strings.Repeat("x", 256)},
		"visible for must be at most 8192 bytes":             manyLong(33),
		"visible for[2] must not be \"..\"":                  {"user:a", "user:b", "user:.."},
	} {
		var c field.Checks
		visibility.Check(&c, "visible_for", list)
		if c.Err() == nil || c.Err().Error() != want {
			t.Errorf("%.80q: %v, want %s", list, c.Err(), want)
		}
	}
	for _, list := range [][]string{nil, {"user:amy", "dept:a/b", "role:é", "user:a:b"}, manyLong(32), long[:visibility.MaxEntries]} {
		var c field.Checks
		if visibility.Check(&c, "visible_for", list); c.Err() != nil {
			t.Errorf("%.80q: %v", list, c.Err())
		}
	}
}

func manyLong(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = "user:" + strings.Repeat("x", 250)
	}
	return list
}

// counted answers with how often it was asked.
type counted struct {
	asked int
	fails bool
}

func (c *counted) Subjects(context.Context, string) ([]string, error) {
	c.asked++
	if c.fails {
		return nil, errors.New("away")
	}
	return []string{fmt.Sprint("role:", c.asked)}, nil
}

func TestSubjectsAreRememberedForAMinute(t *testing.T) {
	now := time.Now()
	source := &counted{}
	c := visibility.NewCache(source, func() time.Time { return now })
	want := func(username, subject string) {
		t.Helper()
		got, err := c.Subjects(t.Context(), username)
		if err != nil || len(got) != 1 || got[0] != subject {
			t.Errorf("%s is %q, %v, want %s", username, got, err, subject)
		}
	}
	want("amy", "role:1")
	want("ben", "role:2")
	now = now.Add(visibility.Fresh - time.Nanosecond)
	want("amy", "role:1")
	now = now.Add(time.Nanosecond)
	want("amy", "role:3")

	source.fails = true
	want("amy", "role:3")
	now = now.Add(visibility.Fresh)
	if got, err := c.Subjects(t.Context(), "amy"); err == nil {
		t.Errorf("while nobody can tell she is %q", got)
	}
	source.fails = false
	want("amy", "role:5")
}
