package hubctl

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/hub/test/source"
)

// TestEveryCommandIsDocumented compares the table of the page with what --help says, and sees that each
// command has a text and an example.
func TestEveryCommandIsDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(source.Root, "docs", "hubctl.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `hubctl ([a-z -]+?)(?: [A-Z\\[].*?)?` \\| (.*?) \\|$").FindAllStringSubmatch(string(text), -1) {
		documented[m[1]] = m[2]
	}
	c := bare(t)
	for _, command := range commands(t, c, "") {
		help := c.ok(append(strings.Fields(command.name), "--help")...)
		if !strings.Contains(help, "\nExamples:\n  ") || strings.HasPrefix(help, command.short) {
			t.Errorf("the help of %s is\n%s", command.name, help)
		}
		if documented[command.name] != command.short {
			t.Errorf("the page says of %s %q, and its help %q", command.name, documented[command.name], command.short)
		}
		delete(documented, command.name)
	}
	for name := range documented {
		t.Errorf("the page names %q, which there is not", name)
	}
}

type documented struct{ name, short string }

// commands are those below another one that have none below themselves.
func commands(t *testing.T, c caller, above string) []documented {
	t.Helper()
	var all []documented
	help := c.ok(append(strings.Fields(above), "--help")...)
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z-]+) +([A-Z].*)$`).FindAllStringSubmatch(help, -1) {
		if m[1] == "hubctl" || m[1] == "help" || m[1] == "completion" || strings.HasPrefix(m[1], "-") {
			continue
		}
		name := strings.TrimSpace(above + " " + m[1])
		if below := commands(t, c, name); len(below) > 0 {
			all = append(all, below...)
		} else {
			all = append(all, documented{name, m[2]})
		}
	}
	return all
}

// TestExitCodesAreDocumented compares the table of the page with the help.
func TestExitCodesAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(source.Root, "docs", "hubctl.md"))
	if err != nil {
		t.Fatal(err)
	}
	help := bare(t).ok("--help")
	codes := regexp.MustCompile(`(?m)^  (\d+) +(.+)$`).FindAllStringSubmatch(help, -1)
	if len(codes) < 6 {
		t.Fatalf("%q", codes)
	}
	for _, m := range codes {
		if !strings.Contains(string(text), "| "+m[1]+" | "+m[2]+" |") {
			t.Errorf("the page does not say %s: %s", m[1], m[2])
		}
	}
}
