package upgrade

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"example.com/hub/test/server"
	"example.com/hub/test/shape"
)

// migrated gives the folder of a cluster that the previous release migrated first and this one then.
// The previous one finds nothing to do after that, as in the init container of a rollback.
func migrated(t *testing.T, previous release) (home string) {
	t.Helper()
	// Not below t.TempDir: PostgreSQL may run as another user, who must get through.
	home, err := os.MkdirTemp("", "hub-upgrade-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	if err := os.Chmod(home, 0o711); err != nil {
		t.Fatal(err)
	}
	pg, err := server.Postgres(t.Context(), filepath.Join(home, "postgres"), server.Volatile)
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Stop()
	for _, hub := range shape.Hubs() {
		if err := pg.CreateDatabase(t.Context(), hub); err != nil {
			t.Fatal(err)
		}
		for _, r := range []release{previous, built.today, previous} {
			migrate := exec.CommandContext(t.Context(), filepath.Join(r.bin, hub), "migrate")
			migrate.Env = append(os.Environ(), "HUB_DATABASE_URL="+pg.Address+" dbname="+hub)
			if text, err := migrate.CombinedOutput(); err != nil {
				t.Fatalf("%s migrate: %v\n%s", migrate.Path, err, text)
			}
		}
		if ran, err := pg.Query(t.Context(), hub, "SELECT count(*) FROM schema_migrations WHERE name = '"+laterName+"'"); err != nil || ran != "1" {
			t.Fatalf("the test is void: %q migrations of %s lie between the releases: %v", ran, hub, err)
		}
	}
	return home
}

// start runs two replicas of each service, those that bins names from other folders than today's, and
// with settings of their own. What they wrote is shown when the test fails.
func start(t *testing.T, home string, bins map[string]string, own func(shape.Config) map[string][]string) []shape.Address {
	t.Helper()
	log, err := os.Create(filepath.Join(home, "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			if text, err := os.ReadFile(log.Name()); err == nil {
				t.Logf("the replicas wrote:\n%s", text)
			}
		}
		_ = log.Close()
	})
	cfg := shape.Config{
		Bin: built.today.bin, Bins: bins, Home: home, Out: log,
		Edges: addresses(t), Hubs: shape.EachHub(func() []shape.Address { return addresses(t) }),
		Environ: []string{"HUB_HEARTBEAT_INTERVAL=1s", "HUB_LOG_LEVEL=warn"},
	}
	if own != nil {
		cfg.Own = own(cfg)
	}
	s, err := shape.Start(t.Context(), cfg, server.Volatile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return cfg.Edges
}

// addresses are free ports for two replicas.
func addresses(t *testing.T) []shape.Address {
	t.Helper()
	return []shape.Address{{Public: free(t), Admin: free(t)}, {Public: free(t), Admin: free(t)}}
}

func free(t *testing.T) string {
	t.Helper()
	address, err := server.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// passes runs a release's contract suite.
func passes(t *testing.T, r release, address string, environ ...string) {
	t.Helper()
	suite := exec.CommandContext(t.Context(), r.suite, "-test.run", "^TestDeployment$", "-test.v", "-test.timeout", "5m")
	suite.Env = append(append(os.Environ(), "HUB_TARGET_URL=http://"+address), environ...)
	text, err := suite.CombinedOutput()
	if err != nil || !bytes.Contains(text, []byte("\n--- PASS: TestDeployment")) {
		t.Errorf("the contract does not hold: %v\n%s", err, text)
	}
}

// beats is the suite's word for what start sets.
const beats = "HUB_TARGET_HEARTBEAT=1s"

func TestPreviousReleaseRunsOnTheNewSchema(t *testing.T) {
	old := previous(t)
	bins := map[string]string{}
	for _, replica := range []string{"edge-1", "edge-2", "todohub-1", "todohub-2", "messagehub-1", "messagehub-2"} {
		bins[replica] = old.bin
	}
	edges := start(t, migrated(t, old), bins, nil)
	passes(t, old, edges[0].Public, beats)
}

// TestReleasesRunSideBySide has the shape in the middle of an update. Each edge calls the hubs of the
// other release, and all share the databases, the bus, the sweep and the claims.
func TestReleasesRunSideBySide(t *testing.T) {
	old := previous(t)
	bins := map[string]string{"edge-1": old.bin, "todohub-1": old.bin, "messagehub-1": old.bin}
	edges := start(t, migrated(t, old), bins, func(cfg shape.Config) map[string][]string {
		hubs := func(n int) []string {
			var targets []string
			for _, hub := range shape.Hubs() {
				targets = append(targets, shape.Target(hub, cfg.Hubs[hub][n:n+1]))
			}
			return targets
		}
		return map[string][]string{"edge-1": hubs(1), "edge-2": hubs(0)}
	})
	for i, name := range []string{"previous edge and new hubs", "new edge and previous hubs"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			passes(t, old, edges[i].Public, beats)
		})
	}
}
