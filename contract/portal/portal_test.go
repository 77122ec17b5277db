package portal

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"example.com/hub/contract"
)

// TestDeployment runs every case against the deployment that the environment names.
func TestDeployment(t *testing.T) { Run(t, contract.Deployment(t)) }

// pages say what the cases check.
var pages = []string{"lists.md", "todos.md", "messages.md"}

func TestDocumentation(t *testing.T) {
	var documented, all []string
	for _, page := range pages {
		text, err := os.ReadFile("../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile("`TestDeployment/([^`]+)`").FindAllSubmatch(text, -1) {
			documented = append(documented, string(match[1]))
		}
	}
	for _, a := range areas() {
		for _, c := range a.cases {
			all = append(all, c.path(a))
		}
	}
	for _, name := range documented {
		if !slices.Contains(all, name) {
			t.Errorf("the documentation names %s, which does not exist", name)
		}
	}
	for _, name := range all {
		if !slices.Contains(documented, name) {
			t.Errorf("the documentation does not name %s", name)
		}
	}
}
