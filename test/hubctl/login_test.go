package hubctl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLogin(t *testing.T) {
	c := bare(t)
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("portal-secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	url := hubURL + "/"
	check(t, c, []call{
		{args: words("time"), code: 2, errs: "hubctl: there is no profile yet: hubctl login URL makes one\n  hubctl time --help\n"},
		{args: []string{"login", url, "--client-id", "erp"}, stdin: "wrong\n", code: 4, errs: "hubctl: no token: invalid_client, unknown client or wrong secret\n"},
		{args: []string{"login", url, "--client-id", "erp"}, code: 2, errs: "hubctl: there is no secret on …\n  hubctl login --help\n"},
		{args: []string{"login", "hub", "--client-id", "erp"}, code: 2, errs: "hubctl: the address of a Hub is like https://hub.example.com, not \"hub\"\n  hubctl login --help\n"},
		{args: []string{"login", url}, code: 2, errs: "hubctl: --client-id is missing\n  hubctl login --help\n"},
		{args: words("profile list"), out: "PROFILE  CURRENT  URL  CLIENT\n"},
		{
			args: []string{"login", url, "--client-id", "erp"}, stdin: "erp-secret\n",
			out: "You are erp at " + hubURL + ". The profile \"default\" in …/profiles.json is the current one.\n",
		},
		{args: words("time"), out: "20…Z\n"},
		{
			args: []string{"login", url, "--client-id", "portal", "--secret-file", file, "-p", "p2", "-o", "json"},
			out:  "{\n  \"name\": \"p2\",\n  \"url\": \"" + hubURL + "\",\n  \"clientId\": \"portal\",\n  \"current\": true\n}\n",
		},
		{
			args: words("profile list"),
			out:  "PROFILE  CURRENT  URL…CLIENT\ndefault           " + hubURL + "  erp\np2       *        " + hubURL + "  portal\n",
		},
		{args: words("profile use default"), out: "The current profile is \"default\": erp at " + hubURL + ".\n"},
		{args: words("profile remove p3"), code: 2, errs: "hubctl: there is no profile \"p3\", but default, p2\n  hubctl profile remove --help\n"},
		{args: words("profile remove default"), out: "The profile \"default\" is gone.\n"},
		{args: words("time"), code: 2, errs: "hubctl: no profile is chosen: hubctl profile use NAME, of p2\n  hubctl time --help\n"},
		{args: words("time -p p2"), out: "20…Z\n"},
		{args: []string{"login", url, "--client-id", "erp", "-p", "../x"}, code: 2, errs: "hubctl: the name of a profile …\n  hubctl login --help\n"},
	})
	check(t, c.with("HUBCTL_PROFILE=p2"), []call{{args: words("time"), out: "20…Z\n"}})
	check(t, c.with("HUBCTL_PROFILE=p1", "HUBCTL_URL=http://127.0.0.1:2"), []call{{args: words("time -p p2"), out: "20…Z\n"}})
	check(t, caller{t, newCaller(t, hubURL).environ[1:]}, []call{{args: words("time"), out: "20…Z\n"}}) // without a home
	check(t, c.with("HUBCTL_PROFILE=p2", "HUBCTL_URL=http://127.0.0.1:2"), []call{{
		args: words("time"), code: 2,
		errs: "hubctl: there is no client for http://127.0.0.1:2: …\n  hubctl time --help\n",
	}})
}

func TestProfilesAreForTheirOwner(t *testing.T) {
	c := bare(t)
	if r := c.run("erp-secret", "login", hubURL, "--client-id", "erp"); r.code != 0 {
		t.Fatal(r)
	}
	for path, want := range map[string]os.FileMode{c.settings(): 0o600, filepath.Dir(c.settings()): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has the mode %v, %v", path, info.Mode(), err)
		}
	}
	if err := os.Chmod(c.settings(), 0o640); err != nil {
		t.Fatal(err)
	}
	if r := c.run("", "time"); r.code != 2 || !strings.Contains(r.errs, "its mode 0640 lets others read them: chmod 600 "+c.settings()) {
		t.Error(r)
	}
}

// TestLoginAsksWithoutShowing types the secret at a terminal.
func TestLoginAsksWithoutShowing(t *testing.T) {
	c := bare(t)
	tty := newTerminal(t, 80)
	end := tty.start(c.command("login", hubURL, "--client-id", "erp"))
	tty.waitFor("Secret of erp: ")
	tty.typed("erp-secret\n")
	if code, seen := end(); code != 0 || strings.Contains(seen, "erp-secret") || !strings.Contains(seen, "You are erp") {
		t.Errorf("exit %d, %q", code, seen)
	}
	c.ok("time")

	tty = newTerminal(t, 80)
	end = tty.start(c.command("login", hubURL, "--client-id", "erp"))
	tty.waitFor("Secret of erp: ")
	tty.typed("erp-\x03")
	if code, seen := end(); code != 130 || strings.Contains(seen, "You are erp") {
		t.Errorf("after Ctrl-C: exit %d, %q", code, seen)
	}
}
