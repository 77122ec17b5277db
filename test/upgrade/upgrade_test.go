package upgrade

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"example.com/hub/test/server"
	"example.com/hub/test/shape"
	"example.com/hub/test/shape/shapetest"
)

// migrated gives the folder of a cluster that the previous release migrated first and this one then.
// The previous one finds nothing to do after that, as in the init container of a rollback.
func migrated(t *testing.T, previous release) (home string) {
	t.Helper()
	home = shapetest.Home(t)
	pg, err := server.Postgres(t.Context(), filepath.Join(home, "postgres"), server.Volatile)
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Stop()
	for _, hub := range shape.Hubs() {
		if err := pg.CreateDatabase(t.Context(), hub); err != nil {
			t.Fatal(err)
		}
		if !previous.has(hub) {
			continue // it begins with this release
		}
		for _, r := range []release{previous, built.today, previous} {
			if err := shape.Migrate(t.Context(), r.bin, hub, pg.Address+" dbname="+hub); err != nil {
				t.Fatal(err)
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
	cfg := shapetest.Config(t, built.today.bin, home, 2)
	cfg.Bins = bins
	if own != nil {
		cfg.Own = own(cfg)
	}
	shapetest.Start(t, cfg)
	return cfg.Edges
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
	edges := start(t, migrated(t, old), old.replicas(1, 2), nil)
	passes(t, old, edges[0].Public, beats)
}

// TestReleasesRunSideBySide has the shape in the middle of an update. Each edge calls the hubs of the
// other release, and all share the databases, the bus, the sweep and the claims.
func TestReleasesRunSideBySide(t *testing.T) {
	old := previous(t)
	edges := start(t, migrated(t, old), old.replicas(1), func(cfg shape.Config) map[string][]string {
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
