// Package storetest is what every portalhub.Store must do, as tests.
package storetest

import (
	"slices"
	"testing"
	"time"

	"example.com/hub/services/portalhub"
)

// Run runs the suite. newStore gives an empty store that lives as long as its t.
func Run(t *testing.T, newStore func(t *testing.T) portalhub.Store) {
	t.Helper()
	for _, c := range slices.Concat([]testCase{{"Ping/answers", testPing}}, sessionCases, peopleCases, directoryCases, appCases,
		channelCases, articleCases, feedCases, fileCases) {
		t.Run(c.name, func(t *testing.T) { c.test(t, newStore(t)) })
	}
}

type testCase struct {
	name string
	test func(t *testing.T, s portalhub.Store)
}

// start is the time of the first change.
var start = time.Date(2026, 3, 4, 5, 6, 7, 123_456_000, time.UTC)

// at is a time some milliseconds after start.
func at(millis int) time.Time { return start.Add(time.Duration(millis) * time.Millisecond) }

func testPing(t *testing.T, s portalhub.Store) {
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}
