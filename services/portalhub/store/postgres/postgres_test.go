package postgres_test

import (
	"testing"
	"time"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/internal/storetest"
	"example.com/hub/services/portalhub/store/postgres"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) portalhub.Store { return open(t, pgtest.Schema(t)) })
}

// open opens a store with a current schema.
func open(t testing.TB, dsn string) *postgres.Store {
	t.Helper()
	return pgtest.Open(t, pg.Config{URL: dsn, MaxConns: 20, AcquireTimeout: 10 * time.Second}, postgres.Open)
}
