package sqlite_test

import (
	"path/filepath"
	"testing"

	"example.com/hub/services/todohub/internal/storetest"
	"example.com/hub/services/todohub/internal/todo"
	"example.com/hub/services/todohub/store/sqlite"
)

func openStore(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) todo.Store { return openStore(t, filepath.Join(t.TempDir(), "todo.db")) })
}
