package shape_test

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/hub/contract"
	"example.com/hub/contract/portal"
	"example.com/hub/test/server"
	"example.com/hub/test/shape"
	"example.com/hub/test/shape/shapetest"
)

// TestContractBehindPgBouncer runs the contract while both hubs reach their databases through a
// pooler, and migrates an empty database through it. In transaction mode it has fewer connections than
// the hubs to it, so that the transactions of one client go to several server processes; in session
// mode each connection of a hub needs one: 10 for the calls of a replica and one for its readiness.
func TestContractBehindPgBouncer(t *testing.T) {
	t.Parallel()
	for mode, size := range map[string]int{"transaction": 4, "session": 22} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			var pooler *server.Server
			s := startWith(t, func(cfg *shape.Config) {
				var err error
				pooler, err = server.PgBouncer(t.Context(), filepath.Join(cfg.Home, "pgbouncer"), filepath.Join(cfg.Home, "postgres"), mode, size)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(pooler.Stop)
				cfg.Own = map[string][]string{}
				for _, hub := range shape.Hubs() {
					for _, replica := range []string{hub + "-1", hub + "-2"} {
						cfg.Own[replica] = []string{"HUB_DATABASE_URL=" + pooler.Address + " dbname=" + hub}
					}
				}
			})
			for _, hub := range shape.Hubs() {
				migrateThrough(t, s, pooler, hub)
			}
			contract.Run(t, shapetest.Target(s.edges[0]))
			if mode == "transaction" { // the other one is to the hubs what a server of their own is
				portal.Run(t, shapetest.Target(s.edges[0]))
			}
		})
	}
}

// migrateThrough lets three processes at once bring an empty database up to date.
func migrateThrough(t *testing.T, s running, pooler *server.Server, hub string) {
	t.Helper()
	empty := "empty_" + hub
	if err := s.Postgres.CreateDatabase(t.Context(), empty); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if err := shape.Migrate(t.Context(), bin, hub, pooler.Address+" dbname="+empty); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	const versions = "SELECT version, checksum FROM schema_migrations ORDER BY version"
	got, err := s.Postgres.Query(t.Context(), empty, versions)
	if err != nil {
		t.Fatal(err)
	}
	want, err := s.Postgres.Query(t.Context(), hub, versions)
	if err != nil {
		t.Fatal(err)
	}
	if got != want || !strings.Contains(got, "|") {
		t.Errorf("the migrations are %q, want %q", got, want)
	}
}
