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
		top, _, _ := strings.Cut(m[1], "/")
		whole, files := "COPY "+top+" "+top+"\n", "COPY "+m[1]+"/go.mod "+m[1]+"/go.sum "+m[1]+"/\n"
		if !strings.Contains(dockerfile, whole) && !strings.Contains(dockerfile, files) {
			t.Errorf("the Dockerfile does not copy %s", m[1])
		}
		if !strings.Contains(ignore, "!"+top+"\n") && !strings.Contains(ignore, "!"+top+"/go.mod\n") {
			t.Errorf("Dockerfile.dockerignore leaves out %s", m[1])
		}
	}
}
