// Package shapetest is for tests that run Hub's distributed shape.
package shapetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/hub/contract"
	"example.com/hub/test/server"
	"example.com/hub/test/shape"
	"example.com/hub/test/source"
)

// Main builds binaries, runs the tests, for which bin is the folder of the binaries, and gives the exit
// code of the test program.
func Main(m *testing.M, bin *string, names ...string) int {
	dir, err := os.MkdirTemp("", "hub-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := source.Build(context.Background(), source.Root, dir, names); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	*bin = dir
	return m.Run()
}

// Home makes a folder for servers until the test is over. It is not below t.TempDir: PostgreSQL may run
// as another user, who must get through.
func Home(t testing.TB) string {
	t.Helper()
	home, err := os.MkdirTemp("", "hub-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	if err := os.Chmod(home, 0o711); err != nil {
		t.Fatal(err)
	}
	return home
}

// FreeAddress is server.FreeAddress.
func FreeAddress(t testing.TB) string {
	t.Helper()
	address, err := server.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// Addresses are free ones for n replicas.
func Addresses(t testing.TB, n int) []shape.Address {
	t.Helper()
	all := make([]shape.Address, n)
	for i := range all {
		all[i] = shape.Address{Public: FreeAddress(t), Admin: FreeAddress(t)}
	}
	return all
}

// patient are settings by which a machine that is busy with tests answers late rather than with 503.
var patient = []string{"HUB_CALL_TIMEOUT=20s", "HUB_LIST_TIMEOUT=20s", "HUB_DATABASE_ACQUIRE_TIMEOUT=15s"}

// Config is a shape of n replicas of each service in home. What they write is shown when the test fails.
func Config(t testing.TB, bin, home string, n int) shape.Config {
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
	return shape.Config{
		Bin: bin, Home: home, Out: log,
		Edges: Addresses(t, n), Hubs: shape.EachHub(func() []shape.Address { return Addresses(t, n) }),
		Environ: append([]string{"HUB_HEARTBEAT_INTERVAL=1s", "HUB_LOG_LEVEL=warn"}, patient...),
	}
}

// Start runs a shape until the test is over.
func Start(t testing.TB, cfg shape.Config) *shape.Shape {
	t.Helper()
	s, err := shape.Start(t.Context(), cfg, server.Volatile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// Target is an edge of a shape for the contract suite. Its heartbeats come every second.
func Target(edge shape.Address) contract.Target {
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
