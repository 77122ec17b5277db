package contract

import (
	"slices"
	"strings"
	"testing"
)

// testCase is one sentence of the contract.
type testCase struct {
	name string
	// settled marks a sentence on which the contract is silent; docs/contract.md must name it.
	settled bool
	run     func(*testing.T, *suite)
}

// stated makes a case of a sentence that the contract has.
func stated(name string, run func(*testing.T, *suite)) testCase {
	return testCase{name: name, run: run}
}

// settled makes a case of a point on which the contract is silent.
func settled(name string, run func(*testing.T, *suite)) testCase {
	return testCase{name: name, settled: true, run: run}
}

// area is a group of cases about one part of the contract.
type area struct {
	name  string
	cases []testCase
}

// areas is every case there is.
func areas() []area {
	return []area{
		{"envelope", envelopeCases()},
		{"status", statusCases()},
		{"upsert", upsertCases()},
		{"todos", todoListCases()},
		{"finish", finishCases()},
		{"ownership", ownershipCases()},
		{"push", pushCases()},
		{"duplicates", duplicateCases()},
		{"inbox", inboxCases()},
		{"unread", unreadCases()},
		{"read", readCases()},
		{"stream", streamCases()},
		{"resume", resumeCases()},
		{"sort", sortCases()},
		{"paging", pagingCases()},
		{"parameters", parameterCases()},
		{"times", timeCases()},
		{"input", inputCases()},
		{"json", jsonCases()},
		{"characters", characterCases()},
		{"lengths", lengthCases()},
		{"urls", urlCases()},
		{"paths", pathCases()},
		{"methods", methodCases()},
		{"content", contentTypeCases()},
		{"auth", authCases()},
		{"token", tokenCases()},
	}
}

// only picks areas by name.
func only(names ...string) []area {
	return slices.DeleteFunc(areas(), func(a area) bool { return !slices.Contains(names, a.name) })
}

// run checks the cases of the areas side by side.
func run(t *testing.T, target Target, areas []area) {
	t.Helper()
	s := newSuite(t, target)
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
