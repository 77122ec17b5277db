package shape_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of settings into docs/architecture.md")

const (
	architecture  = "../../../docs/architecture.md"
	settingsBegin = "<!-- settings: begin -->\n"
	settingsEnd   = "<!-- settings: end -->"
)

var settingLine = regexp.MustCompile(`(?m)^  (HUB_[A-Z_]+) `)

// TestSettingsTable holds the table of settings in the documentation to what the binaries say.
func TestSettingsTable(t *testing.T) {
	binaries := []string{"edge", "todohub", "messagehub", "hub"}
	of := map[string]map[string]bool{}
	for _, binary := range binaries {
		help, err := exec.Command(filepath.Join(bin, binary), "--help").Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range settingLine.FindAllStringSubmatch(string(help), -1) {
			if of[line[1]] == nil {
				of[line[1]] = map[string]bool{}
			}
			of[line[1]][binary] = true
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "| Setting | %s |\n|---|%s\n", strings.Join(binaries, " | "), strings.Repeat("---|", len(binaries)))
	for _, name := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(&table, "| `%s` |", name)
		for _, binary := range binaries {
			if of[name][binary] {
				table.WriteString(" x |")
			} else {
				table.WriteString(" |")
			}
		}
		table.WriteString("\n")
	}

	text, err := os.ReadFile(architecture)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), settingsBegin)
	current, after, found := strings.Cut(rest, settingsEnd)
	if !found {
		t.Fatalf("%s has no marks of the table", architecture)
	}
	if current == table.String() {
		return
	}
	if !*update {
		t.Errorf("the table is out of date; write it with: cd tools/stack && GOWORK=off go test ./shape -run SettingsTable -update")
		return
	}
	if err := os.WriteFile(architecture, []byte(before+settingsBegin+table.String()+settingsEnd+after), 0o600); err != nil {
		t.Fatal(err)
	}
}
