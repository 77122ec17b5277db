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
)

var update = flag.Bool("update", false, "write the table of settings into docs/operations/settings.md")

const (
	settingsPage  = "../../../docs/operations/settings.md"
	settingsBegin = "<!-- settings: begin -->\n"
	settingsEnd   = "<!-- settings: end -->"
)

// settingLine is the name, the default and the meaning in the help of a binary.
var settingLine = regexp.MustCompile(`(?m)^  ((?:HUB|OTEL)_[A-Z_]+) +(.*?)  +(.*)$`)

// setting is a row of the table. A setting that is not the same in all binaries has several.
type setting struct {
	name, standard, meaning string
}

// TestSettingsTable holds the table of settings in the documentation to what the binaries say.
func TestSettingsTable(t *testing.T) {
	table := settingsTable(t)
	text, err := os.ReadFile(settingsPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), settingsBegin)
	current, after, found := strings.Cut(rest, settingsEnd)
	if !found {
		t.Fatalf("%s has no marks of the table", settingsPage)
	}
	if current == table {
		return
	}
	if !*update {
		t.Errorf("the table is out of date; write it with: cd tools/stack && GOWORK=off go test ./shape -run SettingsTable -update")
		return
	}
	if err := os.WriteFile(settingsPage, []byte(before+settingsBegin+table+settingsEnd+after), 0o600); err != nil {
		t.Fatal(err)
	}
}

func settingsTable(t *testing.T) string {
	t.Helper()
	binaries := []string{"edge", "todohub", "messagehub", "hub"}
	in := map[setting][]string{}
	var rows []setting
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

	var table strings.Builder
	table.WriteString("| Setting | Default | In | Meaning |\n|---|---|---|---|\n")
	for _, s := range rows {
		standard, services := "", strings.Join(in[s], ", ")
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
