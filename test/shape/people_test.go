package shape_test

import (
	"fmt"
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
	people := portal.NewProvider(t)
	s := startWith(t, withPeople(people))
	for i, edge := range s.edges {
		t.Run(fmt.Sprintf("contract of edge-%d", i+1), func(t *testing.T) { contract.Run(t, shapetest.Target(edge)) })
	}
	t.Run("people", func(t *testing.T) { portal.RunPeople(t, shapetest.Target(s.edges[0]), people) })
}

func TestPeopleAndTheContractBesideThemOverTLS(t *testing.T) {
	people := portal.NewProvider(t)
	s := startTLS(t, withPeople(people))
	over := shapetest.Target(s.edges[0])
	over.BaseURL, over.Authorities = "https://"+s.edges[0].Public, s.Authorities()
	t.Run("contract", func(t *testing.T) { contract.RunOverTLS(t, over) })
	t.Run("people", func(t *testing.T) { portal.RunPeople(t, over, people) })
}
