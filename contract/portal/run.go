// Package portal checks a running Hub against what it offers beyond the contract, to portals and people:
// from the outside and over HTTP only, like the package contract, whose calls it makes. Each case is named
// after the sentence that it checks, and the page of docs that says it names the case.
package portal

import (
	"slices"
	"strings"
	"testing"

	"example.com/hub/contract"
)

// testCase is one sentence.
type testCase struct {
	name string
	run  func(*testing.T, *contract.Session)
}

// area is a group of cases about one part.
type area struct {
	name  string
	cases []testCase
}

// areas is every case there is.
func areas() []area {
	return []area{
		{"cursor", cursorCases()},
		{"refusals", refusalCases()},
		{"extended", extendedCases()},
		{"todos", todoCases()},
		{"version", versionCases()},
		{"batch", batchCases()},
		{"reconcile", reconcileCases()},
		{"targets", targetCases()},
		{"readall", readAllCases()},
		{"counts", countCases()},
		{"directory", directoryCases()},
		{"people", directoryReconcileCases()},
		{"signals", signalCases()},
		{"socket", socketCases()},
	}
}

// Run checks every case against the target.
func Run(t *testing.T, target contract.Target) {
	t.Helper()
	run(t, target, areas())
}

// RunSourceOwnership checks what changes todos, against a target with HUB_TODO_OWNERSHIP=source. All of it is as
// it is without.
func RunSourceOwnership(t *testing.T, target contract.Target) {
	t.Helper()
	changing := []string{"extended", "todos", "version", "batch", "reconcile"}
	run(t, target, slices.DeleteFunc(areas(), func(a area) bool { return !slices.Contains(changing, a.name) }))
}

// run checks the cases of the areas side by side.
func run(t *testing.T, target contract.Target, areas []area) {
	t.Helper()
	s := contract.Open(t, target)
	for _, a := range areas {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range a.cases {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.run(t, s)
				})
			}
		})
	}
}

// path is how the testing package writes the case's name below its area.
func (c testCase) path(a area) string {
	return a.name + "/" + strings.ReplaceAll(c.name, " ", "_")
}
