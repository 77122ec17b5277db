package sqlite_test

import (
	"path/filepath"
	"testing"

	"example.com/hub/services/portalhub/internal/storetest"
	"example.com/hub/services/portalhub/store/sqlite"
)

// BenchmarkDirectory measures a large directory.
func BenchmarkDirectory(b *testing.B) {
	s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "portalhub.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	storetest.BenchmarkDirectory(b, s)
}
