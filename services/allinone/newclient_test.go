package allinone_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/hub/pkg/cli"
	"example.com/hub/services/edge"
)

// newClient runs new-client and gives what it prints.
func newClient(t *testing.T, code int, args ...string) (entry, said string) {
	t.Helper()
	var out, errs strings.Builder
	program := cli.Program{Name: "hub", Commands: []cli.Command{edge.NewClientCommand()}}
	if got := program.Run(t.Context(), append([]string{"new-client"}, args...), nil, cli.IO{Out: &out, Err: &errs}); got != code {
		t.Errorf("%q: exit code %d, want %d", args, got, code)
	}
	return out.String(), errs.String()
}

func TestNewClientGetsTokens(t *testing.T) {
	entry, said := newClient(t, 0, "crm", "client")
	secret := regexp.MustCompile(`(?m)^  (\S{43})$`).FindStringSubmatch(said)
	if secret == nil || strings.Contains(entry, secret[1]) {
		t.Fatalf("%s%s: want the secret in the first only", said, entry)
	}
	file := filepath.Join(t.TempDir(), "clients.json")
	if err := os.WriteFile(file, []byte(`{"clients":[`+entry+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	hub := start(t, "HUB_CLIENTS_FILE="+file)
	if got := get(t, hub.URL()+"/message-hub/unread-count?username=alice", tokenFor(t, hub, "crm", secret[1])).StatusCode; got != http.StatusOK {
		t.Errorf("its token gets %d", got)
	}
}

func TestNewClientRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"usage: hub new-client ID SCOPE...\n":                                                           {"crm"},
		"hub: id must have 1 to 128 characters without control characters, not \"\"\n":                  {"", "client"},
		"hub: scopes must be one or more names without blanks, quotes and backslashes, not [\"a b\"]\n": {"crm", "a b"},
	} {
		code := 1
		if strings.HasPrefix(want, "usage") {
			code = 2
		}
		if entry, said := newClient(t, code, args...); said != want || entry != "" {
			t.Errorf("%q: got %q and %q, want %q", args, said, entry, want)
		}
	}
}

func TestHelpShowsTheClientsFile(t *testing.T) {
	help, _ := newClient(t, 0, "--help")
	if !strings.Contains(help, `{"clients": [`) || !strings.Contains(help, `"secret_sha256": `) {
		t.Errorf("got\n%s", help)
	}
}
