package postgres_test

import (
	"testing"

	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/portalhub/internal/storetest"
)

// BenchmarkDirectory measures a large directory.
func BenchmarkDirectory(b *testing.B) { storetest.BenchmarkDirectory(b, open(b, pgtest.Schema(b))) }
