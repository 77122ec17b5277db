package docs_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/hub/test/docs"
	"example.com/hub/test/source"
)

func TestLinksOfTheRepository(t *testing.T) {
	findings, err := docs.CheckLinks(source.Root, "bin", "data")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		t.Error(f)
	}
}

func TestDeadLinksAreFound(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "README.md", "# Hub\n## Try it, `now`!\n## Twice\n## Twice\n"+
		"[a](docs/a.md) [b](docs/a.md#of-a) [c](#try-it-now) [d](#twice-1) [e](https://example.com/x) [f](docs)\n"+
		"`[code](nowhere)`\n```sh\n# no heading\n[code](nowhere)\n```\n"+
		"[g](docs/b.md) [h](docs/a.md#of-b) [i](#no-heading) ![j](docs/k.png \"picture\")\n\n[l]: docs/l.md\n")
	write(t, dir, "docs/a.md", "## Of [A](../README.md)\n[up](../README.md#hub) [gone](../README.md#try)\n")
	write(t, dir, "ignored/b.md", "[nowhere](nowhere)\n")
	write(t, dir, ".git/c.md", "[nowhere](nowhere)\n")

	got, err := docs.CheckLinks(dir, "ignored")
	if err != nil {
		t.Fatal(err)
	}
	readme, a := filepath.Join(dir, "README.md"), filepath.Join(dir, "docs", "a.md")
	want := []string{
		readme + ": #no-heading: there is no such heading",
		readme + ": docs/a.md#of-b: there is no such heading",
		readme + ": docs/b.md: there is no such file",
		readme + ": docs/k.png: there is no such file",
		readme + ": docs/l.md: there is no such file",
		a + ": ../README.md#try: there is no such heading",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

func TestNoPagesAreAnError(t *testing.T) {
	if _, err := docs.CheckLinks(t.TempDir()); err == nil {
		t.Error("a check of nothing passed")
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestEveryPageOfOperationsIsLinked wants the entry page to lead to all others.
func TestEveryPageOfOperationsIsLinked(t *testing.T) {
	entry, err := os.ReadFile(source.Root + "/docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(source.Root + "/docs/operations/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		if name := filepath.Base(page); !strings.Contains(string(entry), "](operations/"+name+")") {
			t.Errorf("docs/operations.md does not link %s", name)
		}
	}
}
