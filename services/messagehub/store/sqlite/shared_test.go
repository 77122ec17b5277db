package sqlite

import (
	"path/filepath"
	"testing"

	"example.com/hub/services/messagehub/internal/storetest"
)

func openNew(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "inbox.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestPoisonedPushes(t *testing.T) {
	s := openNew(t)
	_, err := s.file.Write.ExecContext(t.Context(), `CREATE TRIGGER poison BEFORE INSERT ON body WHEN NEW.title = '`+storetest.Poison+`'
		BEGIN SELECT RAISE(ABORT, 'refused'); END`)
	if err != nil {
		t.Fatal(err)
	}
	storetest.PoisonedPushes(t, s)
}

// TestStoredPushesAreAnswered has callers leave: without a log, nobody else would announce what they stored.
func TestStoredPushesAreAnswered(t *testing.T) {
	if n := storetest.SharedLeavers(t, openNew(t)); n > 0 {
		t.Errorf("%d messages are stored of which no caller was told", n)
	}
}
