package manifests_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/hub/test/manifests"
	"example.com/hub/test/source"
)

const root = source.Root

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

// examples gives what an overlay and its components expect from outside.
func examples(t *testing.T, overlayName string, components ...string) manifests.Objects {
	t.Helper()
	files := []string{filepath.Join(overlay(overlayName), "secrets.example.yaml")}
	for _, c := range components {
		files = append(files, filepath.Join(root, "deploy", "k8s", "components", c, "example.yaml"))
	}
	var all manifests.Objects
	for _, file := range files {
		documents, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, decode(t, documents)...)
	}
	return all
}

// copied gives a copy of prod in which the pairs of old and new text are replaced.
func copied(t *testing.T, replacements ...string) string {
	t.Helper()
	dir := t.TempDir()
	// Not through a link: kustomize takes the way to the bases literally.
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	k8s, err := filepath.Abs(filepath.Join(root, "deploy", "k8s"))
	if err != nil {
		t.Fatal(err)
	}
	up, err := filepath.Rel(dir, k8s)
	if err != nil {
		t.Fatal(err)
	}
	replacer := strings.NewReplacer(replacements...)
	for _, name := range []string{"kustomization.yaml", "namespace.yaml", "network.yaml"} {
		text, err := os.ReadFile(filepath.Join(overlay("prod"), name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(replacer.Replace(string(text)), "../../", up+"/")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// behindIngress gives a copy of prod with an Ingress in the place of the Gateway.
func behindIngress(t *testing.T) string {
	t.Helper()
	up := "../../components/"
	return copied(t, up+"gateway-api\n", up+"ingress-nginx\n", up+"gateway-api-tls\n", up+"ingress-nginx-tls\n")
}
