package contract

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// named finds the cases that the documentation names.
var named = regexp.MustCompile("`TestDeployment/([^`]+)`")

func documentedCases(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../docs/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, match := range named.FindAllSubmatch(text, -1) {
		names = append(names, string(match[1]))
	}
	return names
}

func TestDocumentation(t *testing.T) {
	documented := documentedCases(t)
	var all, settled []string
	for _, a := range areas() {
		for _, c := range a.cases {
			all = append(all, c.path(a))
			if c.settled {
				settled = append(settled, c.path(a))
			}
		}
	}
	t.Run("names only cases that exist", func(t *testing.T) {
		for _, name := range documented {
			if !slices.Contains(all, name) {
				t.Errorf("docs/contract.md names %s, which does not exist", name)
			}
		}
	})
	t.Run("names every case that settles a silent point", func(t *testing.T) {
		for _, name := range settled {
			if !slices.Contains(documented, name) {
				t.Errorf("docs/contract.md does not name %s", name)
			}
		}
	})
}

func TestCaseNamesAreUniqueAndPlain(t *testing.T) {
	plain := regexp.MustCompile(`^[a-z0-9]+/[A-Za-z0-9_.,%-]+$`)
	seen := map[string]bool{}
	for _, a := range areas() {
		for _, c := range a.cases {
			name := c.path(a)
			if seen[name] || !plain.MatchString(name) {
				t.Errorf("the name %q is taken or needs escaping", name)
			}
			seen[name] = true
		}
	}
}

func TestEntryPointsHaveTheirAreas(t *testing.T) {
	for _, names := range [][]string{{"status", "auth"}, {"ownership"}, {"times"}, {"urls"}} {
		if got := only(names...); len(got) != len(names) {
			t.Errorf("%q: %d areas, want %d", names, len(got), len(names))
		}
	}
}
