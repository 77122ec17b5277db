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
	t.Parallel()
	portal.RunPeople(t, target(start(t, "HUB_HEARTBEAT_INTERVAL=1s"), everySecond), nil)
}

// TestPeopleOfAProvider is about one that is not Hub's. The contract beside its people is held in the distributed
// shape, and in TestContract beside those of the demo.
func TestPeopleOfAProvider(t *testing.T) {
	t.Parallel()
	people := portal.NewProvider(t)
	portal.RunPeople(t, target(start(t, withPeople(t, people)...), everySecond), people)
}

// TestPeopleOverTLS is where cookies have the prefix __Host-. The module test has the other suites beside it.
func TestPeopleOverTLS(t *testing.T) {
	t.Parallel()
	people, authority := portal.NewProvider(t), tlstest.New(t)
	_, environ := withCertificate(t, authority)
	over := target(start(t, append(environ, withPeople(t, people)...)...), everySecond)
	over.Authorities = authority.Pool()
	portal.RunPeople(t, over, people)
}
