package manifests_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDockerfileCopiesEveryModule finds a module of the workspace that the image is built without.
func TestDockerfileCopiesEveryModule(t *testing.T) {
	read := func(parts ...string) string {
		t.Helper()
		raw, err := os.ReadFile(filepath.Join(append([]string{root}, parts...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	dockerfile, ignore := read("deploy", "Dockerfile"), read("deploy", "Dockerfile.dockerignore")
	modules := regexp.MustCompile(`(?m)^\s+\./(\S+)$`).FindAllStringSubmatch(read("go.work"), -1)
	if len(modules) < 5 {
		t.Fatalf("go.work uses %d modules", len(modules))
	}
	for _, m := range modules {
		if line := "COPY " + m[1] + "/go.mod " + m[1] + "/go.sum " + m[1] + "/\n"; !strings.Contains(dockerfile, line) {
			t.Errorf("the Dockerfile has no line %q", line)
		}
		top, _, _ := strings.Cut(m[1], "/")
		if !strings.Contains(ignore, "!"+top+"\n") && !strings.Contains(ignore, "!"+top+"/go.mod\n") {
			t.Errorf("Dockerfile.dockerignore leaves out %s", m[1])
		}
	}
}
