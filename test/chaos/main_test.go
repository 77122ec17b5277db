package chaos

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/hub/test/shape"
	"example.com/hub/test/shape/shapetest"
	"example.com/hub/test/source"
)

// full is the size of the tests.
var full = flag.Bool("full", false, "run the tests in their full size, and on mutants of Hub")

// size chooses a number by the size of the tests.
func size[T any](short, long T) T {
	if *full {
		return long
	}
	return short
}

// built is the folder of the binaries.
var built string

// binaries are those of both shapes.
var binaries = append(shape.Services(), "hub")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(shapetest.Main(m, &built, binaries...))
}

// mutation is a change to one source file, most of which take a mitigation out.
type mutation struct {
	// binaries are the services that have the file.
	binaries []string
	// file is its path in the repository.
	file string
	// old is a text of the file that stands there once, and becomes new.
	old, new string
}

// mutant builds a Hub with a mutation, and gives the folder of its binaries.
func mutant(t *testing.T, m mutation) string {
	t.Helper()
	if !*full {
		t.Skip("mutants are tested with -full")
	}
	return altered(t, m)
}

// altered is mutant for a change that takes no mitigation out.
func altered(t *testing.T, m mutation) string {
	t.Helper()
	dir := t.TempDir()
	original, err := filepath.Abs(filepath.Join(source.Root, m.file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		t.Fatalf("%s has %d times\n%s", m.file, n, m.old)
	}
	changed := filepath.Join(dir, filepath.Base(m.file))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin")
	for file, content := range map[string]string{
		changed:                            strings.Replace(string(text), m.old, m.new, 1),
		filepath.Join(dir, "overlay.json"): string(overlay),
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range binaries {
		if err := os.Symlink(filepath.Join(built, name), filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range m.binaries {
		if err := os.Remove(filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := source.Build(t.Context(), source.Root, bin, m.binaries, "-overlay", filepath.Join(dir, "overlay.json")); err != nil {
		t.Fatal(err)
	}
	return bin
}
