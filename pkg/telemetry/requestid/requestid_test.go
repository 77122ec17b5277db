package requestid_test

import (
	"strings"
	"testing"

	"example.com/hub/pkg/telemetry/requestid"
)

func TestTake(t *testing.T) {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/+=@"
	for c := range 256 {
		id := "a" + string([]byte{byte(c)})
		got, taken := requestid.Take([]string{id})
		if want := strings.IndexByte(safe, byte(c)) >= 0; taken != want || taken != (got == id) {
			t.Errorf("%q: took %q: %v, want %v", id, got, taken, want)
		}
	}
	for _, tt := range []struct {
		name   string
		values []string
		want   bool
	}{
		{"none", nil, false},
		{"empty", []string{""}, false},
		{"one character", []string{"a"}, true},
		{"longest", []string{strings.Repeat("a", 128)}, true},
		{"too long", []string{strings.Repeat("a", 129)}, false},
		{"two", []string{"a", "a"}, false},
		{"good before bad", []string{"a", ""}, false},
		{"letters of others", []string{"é"}, false},
	} {
		if id, taken := requestid.Take(tt.values); taken != tt.want || id == "" {
			t.Errorf("%s: %q, %v", tt.name, id, taken)
		}
	}
}

func TestMadeIDsDifferAndCanBeTaken(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id, _ := requestid.Take(nil)
		if again, taken := requestid.Take([]string{id}); !taken || again != id || seen[id] {
			t.Fatalf("made %q", id)
		}
		seen[id] = true
	}
}

func TestContextCarriesTheID(t *testing.T) {
	if got := requestid.From(t.Context()); got != "" {
		t.Errorf("got %q of a bare context", got)
	}
	if got := requestid.From(requestid.With(t.Context(), "7")); got != "7" {
		t.Errorf("got %q", got)
	}
}

func BenchmarkTake(b *testing.B) {
	for name, values := range map[string][]string{"made": nil, "taken": {"5PLQQRO5DUXJ2WFTIZZKMZCEXU"}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				requestid.Take(values)
			}
		})
	}
}
