package allinone_test

import (
	"testing"
	"time"

	"example.com/hub/contract"
	"example.com/hub/contract/portal"
	"example.com/hub/pkg/tlsfiles/tlstest"
)

func everySecond(s *contract.Settings) { s.HeartbeatInterval = time.Second }

// withPeople are settings with everything on that lets people of a provider in.
func withPeople(t *testing.T, people *portal.Provider) []string {
	t.Helper()
	return append(people.Settings(), "HUB_HEARTBEAT_INTERVAL=1s", "HUB_ALLOWED_ORIGINS=https://portal.example", "HUB_SECRETS_FILE="+secretsFile(t))
}

func TestPeopleOfTheDemo(t *testing.T) {
	portal.RunPeople(t, target(start(t, "HUB_HEARTBEAT_INTERVAL=1s"), everySecond), nil)
}

func TestPeopleAndTheContractBesideThem(t *testing.T) {
	people := portal.NewProvider(t)
	beside := target(start(t, withPeople(t, people)...), everySecond)
	t.Run("contract", func(t *testing.T) { contract.Run(t, beside) })
	t.Run("people", func(t *testing.T) { portal.RunPeople(t, beside, people) })
}

func TestPeopleAndTheContractBesideThemOverTLS(t *testing.T) {
	people, authority := portal.NewProvider(t), tlstest.New(t)
	_, environ := withCertificate(t, authority)
	over := target(start(t, append(environ, withPeople(t, people)...)...), everySecond)
	over.Authorities = authority.Pool()
	t.Run("contract", func(t *testing.T) { contract.RunOverTLS(t, over) })
	t.Run("people", func(t *testing.T) { portal.RunPeople(t, over, people) })
}
