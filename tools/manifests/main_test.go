package manifests_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"example.com/hub/tools/manifests"
)

// root is the root of the repository.
const root = "../.."

// binaries are the services, built once for all tests.
var binaries *manifests.Binaries

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "hub-manifests-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if binaries, err = manifests.Build(context.Background(), root, dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func overlay(name string) string { return filepath.Join(root, "deploy", "k8s", "overlays", name) }

func render(t *testing.T, dir string) []byte {
	t.Helper()
	rendered, err := manifests.Render(dir)
	if err != nil {
		t.Fatal(err)
	}
	return rendered
}

func decode(t *testing.T, documents []byte) manifests.Objects {
	t.Helper()
	objects, err := manifests.Decode(documents)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// examples gives the Secrets that an overlay expects from outside.
func examples(t *testing.T, overlayName string) manifests.Objects {
	t.Helper()
	documents, err := os.ReadFile(filepath.Join(overlay(overlayName), "secrets.example.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, documents)
}
