package shape_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"example.com/hub/contract"
	"example.com/hub/test/server"
	"example.com/hub/test/shape"
)

// bin is the folder of the services' binaries.
var bin string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "hub-bin-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		bin = dir
		build := exec.Command("go", "build", "-o", dir,
			"./services/edge/cmd/edge", "./services/todohub/cmd/todohub", "./services/messagehub/cmd/messagehub", "./services/allinone/cmd/hub")
		build.Dir = "../.."
		build.Env = append(os.Environ(), "GOWORK=")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// running is a shape of two replicas each with what they wrote.
type running struct {
	*shape.Shape
	edges []shape.Address
}

// start runs a shape until the test is over. What its replicas wrote is shown when the test fails.
func start(t *testing.T, environ ...string) running {
	t.Helper()
	return startWith(t, func(cfg *shape.Config) { cfg.Environ = append(cfg.Environ, environ...) })
}

// startWith is start with a configuration that change may change.
func startWith(t *testing.T, change func(cfg *shape.Config)) running {
	t.Helper()
	// Not below t.TempDir: PostgreSQL may run as another user, who must get through.
	home, err := os.MkdirTemp("", "hub-shape-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	if err := os.Chmod(home, 0o711); err != nil {
		t.Fatal(err)
	}
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
		Bin: bin, Home: home, Out: log,
		Edges: addresses(t), Hubs: shape.EachHub(func() []shape.Address { return addresses(t) }),
		Environ: []string{"HUB_HEARTBEAT_INTERVAL=1s", "HUB_LOG_LEVEL=warn"},
	}
	change(&cfg)
	s, err := shape.Start(t.Context(), cfg, server.Volatile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return running{s, cfg.Edges}
}

// addresses are free ports for two replicas.
func addresses(t *testing.T) []shape.Address {
	t.Helper()
	free := func() string {
		address, err := server.FreeAddress()
		if err != nil {
			t.Fatal(err)
		}
		return address
	}
	return []shape.Address{{Public: free(), Admin: free()}, {Public: free(), Admin: free()}}
}

func target(edge shape.Address) contract.Target {
	settings := contract.DefaultSettings()
	settings.HeartbeatInterval = time.Second
	return contract.Target{
		BaseURL:      "http://" + edge.Public,
		Client:       contract.Credentials{ID: "erp", Secret: "erp-secret"},
		Other:        contract.Credentials{ID: "portal", Secret: "portal-secret"},
		Limited:      contract.Credentials{ID: "limited", Secret: "limited-secret"},
		LimitedScope: "profile",
		Settings:     settings,
	}
}

func TestContractThroughEachEdge(t *testing.T) {
	s := start(t)
	for i, edge := range s.edges {
		t.Run(fmt.Sprintf("edge-%d", i+1), func(t *testing.T) { contract.Run(t, target(edge)) })
	}
}

func TestContractWhileOneReplicaOfEachKindDies(t *testing.T) {
	s := start(t)
	t.Run("suite", func(t *testing.T) {
		t.Run("deaths", func(t *testing.T) {
			t.Parallel()
			for _, name := range []string{"edge-2", "todohub-2", "messagehub-2"} {
				s.Replica(name).Kill()
			}
		})
		t.Run("contract", func(t *testing.T) {
			t.Parallel()
			contract.Run(t, target(s.edges[0]))
		})
	})
}
