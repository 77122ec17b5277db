package config

import (
	_ "embed"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
)

// catalog has the name of every setting of every binary, one in a line. The test that writes the
// table of docs/operations/settings.md writes it too.
//
//go:embed catalog.txt
var catalog string

// prefixes of variables that are for tests, which may run a binary in their environment.
var testPrefixes = []string{"HUB_TEST_", "HUB_TARGET_"}

// maxDistance is how many letters may be wrong, missing or too many in a name that is still taken for
// another one.
const maxDistance = 3

// Strangers are variables that are named like settings and that a binary does not read.
type Strangers struct {
	// Unknown are settings of no binary, each with the name that may have been meant, or with "".
	Unknown map[string]string
	// Others are settings of other binaries, which may share an environment with this one.
	Others []string
}

// FindStrangers looks through environ for what none of the settings structs reads. A variable that is
// set but empty counts as not set.
func FindStrangers(environ []string, structs ...any) Strangers {
	var own []string
	for _, of := range structs {
		for _, s := range Settings(of) {
			own = append(own, s.Name)
		}
	}
	others := strings.Fields(catalog)
	found := Strangers{Unknown: map[string]string{}}
	for name := range nonEmpty(environ) {
		switch {
		case !strings.HasPrefix(name, "HUB_") || forTests(name) || slices.Contains(own, name):
		case slices.Contains(others, name):
			found.Others = append(found.Others, name)
		default:
			found.Unknown[name] = nearest(name, append(own, others...))
		}
	}
	slices.Sort(found.Others)
	return found
}

func forTests(name string) bool {
	return slices.ContainsFunc(testPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// Lines say for each unknown variable that nothing reads it.
func (s Strangers) Lines() []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(s.Unknown)) {
		line := name + ": there is no such setting"
		if meant := s.Unknown[name]; meant != "" {
			line += fmt.Sprintf("; is %s meant?", meant)
		}
		lines = append(lines, line)
	}
	return lines
}

// Log warns of the unknown variables, and mentions those of other binaries in one line.
func (s Strangers) Log(logger *slog.Logger) {
	for _, line := range s.Lines() {
		logger.Warn("setting ignored", "reason", line)
	}
	if len(s.Others) > 0 {
		logger.Info("settings ignored, which other binaries of Hub have and this one has not", "names", strings.Join(s.Others, " "))
	}
}

// nearest is the candidate with the fewest edits, the first of several; "" if none is near.
func nearest(name string, candidates []string) string {
	best, least := "", maxDistance+1
	for _, c := range candidates {
		if d := distance(name, c); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance is the Levenshtein distance: the letters to insert, remove or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
