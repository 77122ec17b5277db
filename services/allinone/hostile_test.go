package allinone_test

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	"example.com/hub/contract/portal"
)

var update = flag.Bool("update", false, "write the files that others read")

// TestTheDomainKnowsTheHostileFragments holds the file that the sanitiser is tested with to the fragments that
// deployments are tested with.
func TestTheDomainKnowsTheHostileFragments(t *testing.T) {
	const path = "../portalhub/internal/content/testdata/hostile.json"
	if *update {
		text, err := json.MarshalIndent(portal.HostileFragments(), "", "\t")
		if err == nil {
			err = os.WriteFile(path, append(text, '\n'), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var known []string
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &known)
	}
	if err != nil || !slices.Equal(known, portal.HostileFragments()) {
		t.Errorf("%s has other fragments; go test -run Hostile -update writes it: %v", path, err)
	}
}
