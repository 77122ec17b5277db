package report

import (
	"fmt"
	"os"
	"strings"
)

// Embed puts text between the markers of a name in a file, each on a line of its own:
//
//	<!-- NAME: begin -->
//	<!-- NAME: end -->
func Embed(file, name, text string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	begin, end := "<!-- "+name+": begin -->\n", "<!-- "+name+": end -->"
	before, rest, found := strings.Cut(string(content), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s has no lines %q and %q", file, strings.TrimSpace(begin), end)
	}
	return os.WriteFile(file, []byte(before+begin+strings.TrimRight(text, "\n")+"\n"+end+after), 0o644)
}
