package shape_test

import (
	"os"
	"testing"

	"example.com/hub/contract"
	"example.com/hub/contract/portal"
	"example.com/hub/test/shape"
	"example.com/hub/test/shape/shapetest"
)

// bin is the folder of the services' binaries.
var bin string

func TestMain(m *testing.M) { os.Exit(shapetest.Main(m, &bin, binaries...)) }

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
	cfg := shapetest.Config(t, bin, shapetest.Home(t), 2)
	change(&cfg)
	return running{shapetest.Start(t, cfg), cfg.Edges}
}

// TestContract has the contract through one edge, and beside it what goes beyond through the other.
func TestContract(t *testing.T) {
	t.Parallel()
	s := start(t)
	t.Run("contract", func(t *testing.T) { t.Parallel(); contract.Run(t, shapetest.Target(s.edges[0])) })
	t.Run("portal", func(t *testing.T) { t.Parallel(); portal.Run(t, shapetest.Target(s.edges[1])) })
}

func TestContractWhileOneReplicaOfEachKindDies(t *testing.T) {
	t.Parallel()
	s := start(t)
	t.Run("suite", func(t *testing.T) {
		t.Run("deaths", func(t *testing.T) {
			t.Parallel()
			for _, service := range shape.Services() {
				s.Replica(service + "-2").Kill()
			}
		})
		t.Run("contract", func(t *testing.T) {
			t.Parallel()
			contract.Run(t, shapetest.Target(s.edges[0]))
		})
	})
}
