package hub_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is a fenced block of the README.
var block = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

func TestREADMEPrintsWhatItSays(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := block.FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 2 || blocks[0][1] != "go" {
		t.Fatalf("there are %d blocks, want a program and what it prints", len(blocks))
	}
	p := started(t, t.TempDir())
	program := strings.NewReplacer("http://127.0.0.1:8080", p.rest, "127.0.0.1:9090", p.grpc).Replace(blocks[0][2])
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := command("go", "run", file).CombinedOutput()
	if err != nil || string(out) != blocks[1][2] {
		t.Errorf("%v, and it prints\n%s, want\n%s", err, out, blocks[1][2])
	}
}
