package sqlite_test

import (
	"path/filepath"
	"testing"

	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/internal/storetest"
	"example.com/hub/services/portalhub/store/sqlite"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) portalhub.Store {
		s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "portalhub.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	})
}
