package sqlite_test

import (
	"path/filepath"
	"testing"

	"example.com/hub/services/messagehub/internal/inbox"
	"example.com/hub/services/messagehub/internal/storetest"
	"example.com/hub/services/messagehub/store/sqlite"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) inbox.Store {
		return open(t, filepath.Join(t.TempDir(), "inbox.db"))
	})
}

func open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}
