package source_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"example.com/hub/test/source"
)

// TestServicesAreApart finds a service that could import another one: its module names it. Only allinone
// joins services.
func TestServicesAreApart(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(source.Root, "services", "*", "go.mod"))
	if err != nil || len(files) < 4 {
		t.Fatalf("%d modules, %v", len(files), err)
	}
	service := regexp.MustCompile(`(?m)^(module )?.*example\.com/hub/services/\S+`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(filepath.Dir(file)) == "allinone" {
			continue
		}
		for _, line := range service.FindAllStringSubmatch(string(text), -1) {
			if line[1] == "" {
				t.Errorf("%s has the line %q", file, line[0])
			}
		}
	}
}
