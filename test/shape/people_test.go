package shape_test

import (
	"testing"

	"example.com/hub/contract"
	"example.com/hub/contract/portal"
	"example.com/hub/test/shape"
	"example.com/hub/test/shape/shapetest"
)

// withPeople are settings with everything on that lets people in.
func withPeople(people *portal.Provider) func(cfg *shape.Config) {
	return func(cfg *shape.Config) {
		cfg.Environ = append(cfg.Environ, "HUB_ALLOWED_ORIGINS=https://portal.example")
		cfg.Environ = append(cfg.Environ, people.Settings()...)
	}
}

func TestPeopleAndTheContractBesideThem(t *testing.T) {
	t.Parallel()
	people := portal.NewProvider(t)
	bucket, _ := withBucket(t)
	let := withPeople(people)
	s := startWith(t, func(cfg *shape.Config) {
		bucket(cfg)
		let(cfg)
	})
	t.Run("contract", func(t *testing.T) { t.Parallel(); contract.Run(t, shapetest.Target(s.edges[1])) })
	t.Run("people", func(t *testing.T) {
		t.Parallel()
		portal.RunPeople(t, shapetest.Target(s.edges[0]), people, "http://"+s.edges[1].Public)
	})
}

func TestPeopleAndTheContractBesideThemOverTLS(t *testing.T) {
	t.Parallel()
	people := portal.NewProvider(t)
	s := startTLS(t, withPeople(people))
	over := shapetest.Target(s.edges[0])
	over.BaseURL, over.Authorities = "https://"+s.edges[0].Public, s.Authorities()
	t.Run("contract", func(t *testing.T) { t.Parallel(); contract.RunOverTLS(t, over) })
	t.Run("portal", func(t *testing.T) { t.Parallel(); portal.Run(t, over) })
	t.Run("people", func(t *testing.T) { t.Parallel(); portal.RunPeople(t, over, people, "https://"+s.edges[1].Public) })
}
