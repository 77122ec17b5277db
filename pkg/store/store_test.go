package store_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/store"
)

func TestBind(t *testing.T) {
	const text = "UPDATE todo SET a = @a_1, b = @b WHERE id=@id AND (@b = '' OR tags @> '{}')"
	for dialect, want := range map[store.Dialect]string{
		store.PostgreSQL: "UPDATE todo SET a = $2, b = $3 WHERE id=$1 AND ($3 = '' OR tags @> '{}')",
		store.SQLite:     "UPDATE todo SET a = ?2, b = ? WHERE id=?1 AND (?3 = '' OR tags @> '{}')",
	} {
		if diff := cmp.Diff(want, dialect.Bind(text, "id", "a_1", "b")); diff != "" {
			t.Error(diff)
		}
	}
	if got := store.SQLite.Bind("SELECT @a, @b, @a, @c", "a", "b", "c"); got != "SELECT ?, ?, ?1, ?" {
		t.Errorf("binds in order are %q", got)
	}
	if got := store.SQLite.Bind("SELECT 1"); got != "SELECT 1" {
		t.Errorf("a text without binds is %q", got)
	}
}

func TestBindPanics(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		binds      []string
		want       string
	}{
		{"unknown", "SELECT @a, @b", []string{"a"}, "@b is none of the binds [a]"},
		{"part of a known one", "SELECT @ab", []string{"a"}, "@ab is none"},
		{"not used", "SELECT @a", []string{"a", "b"}, "has no @b"},
		{"listed twice", "SELECT @a", []string{"a", "a"}, "has no @a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, tt.want) {
					t.Errorf("panic %q, want %q", got, tt.want)
				}
			}()
			store.PostgreSQL.Bind(tt.text, tt.binds...)
		})
	}
}

func TestColumns(t *testing.T) {
	c := store.Columns{"type", "due_at"}
	got := []string{c.List(), c.Binds(), c.Replaced(), strings.Join(c.Then("now"), " ")}
	want := []string{
		"type, due_at", "@type, @due_at", "type = excluded.type, due_at = excluded.due_at", "type due_at now",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
