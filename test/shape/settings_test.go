package shape_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/hub/test/shape"
	"example.com/hub/test/source"
)

var update = flag.Bool("update", false, "write the table of settings into docs/operations/settings.md, and their names into pkg/config/catalog.txt")

const (
	settingsPage    = source.Root + "/docs/operations/settings.md"
	settingsBegin   = "<!-- settings: begin -->\n"
	settingsEnd     = "<!-- settings: end -->"
	settingsCatalog = source.Root + "/pkg/config/catalog.txt"
)

// settingLine is the name, the default and the meaning in the help of a binary.
var settingLine = regexp.MustCompile(`(?m)^  ((?:HUB|OTEL)_[A-Z_]+) +(.*?)  +(.*)$`)

// setting is a row of the table. A setting that is not the same in all binaries has several.
type setting struct {
	name, standard, meaning string
}

// TestSettingsTable holds the table of settings in the documentation, and the names that every binary
// knows, to what the binaries say.
func TestSettingsTable(t *testing.T) {
	rows, in := settings(t)
	holdFile(t, settingsCatalog, catalog(rows))
	text, err := os.ReadFile(settingsPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), settingsBegin)
	_, after, found := strings.Cut(rest, settingsEnd)
	if !found {
		t.Fatalf("%s has no marks of the table", settingsPage)
	}
	holdFile(t, settingsPage, before+settingsBegin+table(rows, in)+settingsEnd+after)
}

// holdFile wants a file to have this content, or gives it to it.
func holdFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) == want {
		return
	}
	if !*update {
		t.Errorf("%s is out of date; write it with: cd test && GOWORK=off go test ./shape -run SettingsTable -update", path)
		return
	}
	if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}

var binaries = append(shape.Services(), "hub")

// settings are what the binaries have, by name, and which binaries have each.
func settings(t *testing.T) (rows []setting, in map[setting][]string) {
	t.Helper()
	in = map[setting][]string{}
	for _, binary := range binaries {
		help, err := exec.Command(filepath.Join(bin, binary), "--help").Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range settingLine.FindAllStringSubmatch(string(help), -1) {
			s := setting{line[1], line[2], line[3]}
			if in[s] == nil {
				rows = append(rows, s)
			}
			if !slices.Contains(in[s], binary) { // several commands may read it
				in[s] = append(in[s], binary)
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b setting) int { return strings.Compare(a.name, b.name) })
	return rows, in
}

// catalog has the names of Hub's own settings, one in a line.
func catalog(rows []setting) string {
	var names []string
	for _, s := range rows {
		if strings.HasPrefix(s.name, "HUB_") {
			names = append(names, s.name)
		}
	}
	return strings.Join(slices.Compact(names), "\n") + "\n"
}

func table(rows []setting, in map[setting][]string) string {
	var table strings.Builder
	table.WriteString("| Setting | Default | In | Meaning |\n|---|---|---|---|\n")
	for _, s := range rows {
		standard, services := "", strings.Replace(strings.Join(in[s], ", "), strings.Join(shape.Hubs(), ", "), "hubs", 1)
		if s.standard != "-" {
			standard = "`" + s.standard + "`"
		}
		if len(in[s]) == len(binaries) {
			services = "all"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", s.name, standard, services, strings.ReplaceAll(s.meaning, "|", `\|`))
	}
	return table.String()
}
