package hubctl

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/hub/test/source"
)

var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// follow runs the commands of a page as somebody types them, in a folder of its own. What is built is there
// already, and what is watched is left after a while.
func (c caller) follow(page string) {
	c.t.Helper()
	dir := c.t.TempDir()
	if err := os.Symlink(bin, filepath.Join(dir, "bin")); err != nil {
		c.t.Fatal(err)
	}
	fit := strings.NewReplacer("http://127.0.0.1:8080", hubURL, "make build", "",
		"bin/hubctl watch ben", "timeout --preserve-status --signal INT 2 bin/hubctl watch ben || [ $? = 130 ]")
	for _, block := range shellBlock.FindAllStringSubmatch(page, -1) {
		cmd := exec.CommandContext(c.t.Context(), "bash", "-euo", "pipefail", "-c", fit.Replace(block[1]))
		cmd.Dir, cmd.Env = dir, append(os.Environ(), c.environ...)
		if out, err := cmd.CombinedOutput(); err != nil {
			c.t.Fatalf("%s%v\n%s", block[1], err, out)
		}
	}
}

// page reads a page, from a heading on to the next where one is given.
func page(t *testing.T, name, heading string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(source.Root, name))
	if err != nil {
		t.Fatal(err)
	}
	found := string(text)
	if heading != "" {
		_, found, _ = strings.Cut(found, "\n## "+heading+"\n")
		found, _, _ = strings.Cut(found, "\n## ")
	}
	if !shellBlock.MatchString(found) {
		t.Fatalf("%s has nothing to run", name)
	}
	return found
}

func TestTheTourOfTheReadmeAndTheRecipes(t *testing.T) {
	c := bare(t)
	c.follow(page(t, "README.md", "A tour of five minutes"))
	if inbox := c.ok("message", "inbox", "amy", "-o", "json"); !strings.Contains(inbox, "Lunch is at noon") {
		t.Errorf("amy's inbox is %s", inbox)
	}
	if done := c.ok("todo", "list", "amy", "--status", "cleared", "-o", "json"); !strings.Contains(done, "tour-po-1") {
		t.Errorf("amy has done %s", done)
	}
	c.follow(page(t, "docs/recipes.md", ""))
	if unread := c.ok("message", "unread", "user-100000", "-o", "json"); !strings.Contains(unread, `"unread": 1`) && !strings.Contains(unread, `"unread":1`) {
		t.Errorf("the last of 100,000 has %s", unread)
	}
	if title := c.ok("todo", "list", "alice", "--status", "invalid", "-o", "json"); !strings.Contains(title, "Approve order 7") {
		t.Errorf("the withdrawn todo is %s", title)
	}
}
