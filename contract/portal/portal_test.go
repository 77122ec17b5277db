package portal

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"example.com/hub/contract"
)

// TestDeployment runs every case of lists against the deployment that the environment names.
func TestDeployment(t *testing.T) { Run(t, contract.Deployment(t)) }

// TestPeople runs every case of people against the deployment that the environment names, which must have
// Hub's demo people.
func TestPeople(t *testing.T) { RunPeople(t, contract.Deployment(t), nil) }

// TestEventCenter runs every case of the event center against the deployment that the environment names.
func TestEventCenter(t *testing.T) { RunEventCenter(t, contract.Deployment(t), deployed(t)) }

// pages say what the cases check.
var pages = []string{"lists.md", "todos.md", "messages.md", "counts.md", "home.md", "users.md", "admin.md", "apps.md", "content.md", "files.md", "directory.md", "event-center.md"}

func TestDocumentation(t *testing.T) {
	var documented, all []string
	for _, page := range pages {
		text, err := os.ReadFile("../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile("`(Test(?:Deployment|People|EventCenter)/[^`]+)`").FindAllSubmatch(text, -1) {
			documented = append(documented, string(match[1]))
		}
	}
	for _, a := range areas() {
		for _, c := range a.cases {
			all = append(all, "TestDeployment/"+c.path(a))
		}
	}
	for _, a := range peopleAreas() {
		for _, c := range a.cases {
			all = append(all, "TestPeople/"+testCase{name: c.name}.path(area{name: a.name}))
		}
	}
	for _, a := range forwardAreas() {
		for _, c := range a.cases {
			all = append(all, "TestEventCenter/"+testCase{name: c.name}.path(area{name: a.name}))
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
