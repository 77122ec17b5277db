package manifests_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/hub/test/source"
)

// TestTheDockerfileCopiesWhatItBuilds finds what a binary needs and the build of its image does not have.
func TestTheDockerfileCopiesWhatItBuilds(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		raw, err := os.ReadFile(filepath.Join(root, "deploy", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	_, stage, _ := strings.Cut(read("Dockerfile"), " AS build\n")
	stage, _, _ = strings.Cut(stage, "\nFROM ")
	ignore := read("Dockerfile.dockerignore")
	tree := t.TempDir()
	for _, line := range regexp.MustCompile(`(?m)^COPY (.*)$`).FindAllStringSubmatch(stage, -1) {
		names := strings.Fields(line[1])
		for _, name := range names[:len(names)-1] {
			top, _, _ := strings.Cut(name, "/")
			if !strings.Contains(ignore, "!"+name+"\n") && !strings.Contains(ignore, "!"+top+"\n") {
				t.Errorf("Dockerfile.dockerignore leaves out %s", name)
			}
			copyInto(t, tree, name)
		}
	}
	binaries, err := filepath.Glob(filepath.Join(tree, "services", "*", "cmd", "*"))
	if err != nil || len(binaries) < 5 {
		t.Fatalf("the Dockerfile copies the binaries %v, %v", binaries, err)
	}
	for _, dir := range binaries {
		if err := source.Go(t.Context(), dir, "list", "-deps", "."); err != nil {
			t.Errorf("%s: %v", filepath.Base(dir), err)
		}
	}
}

// copyInto copies a file or a folder of the repository to the same place in a tree.
func copyInto(t *testing.T, tree, name string) {
	t.Helper()
	from, to := filepath.Join(root, name), filepath.Join(tree, name)
	if err := os.MkdirAll(filepath.Dir(to), 0o750); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else {
		var raw []byte
		if raw, err = os.ReadFile(from); err == nil {
			err = os.WriteFile(to, raw, 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
