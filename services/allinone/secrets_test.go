package allinone_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestKeysOfCookiesStay has a Hub with demo users twice, whose sessions must outlive a restart.
func TestKeysOfCookiesStay(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "secrets")
	var first string
	for range 2 {
		startAndStop(t, dir)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(content)
		}
		if string(content) != first {
			t.Error("there is another key")
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestKeysAreMadeForWhoCanLogInOnly has Hubs in which nobody can.
func TestKeysAreMadeForWhoCanLogInOnly(t *testing.T) {
	for name, environ := range map[string]string{
		"clients of its own":   clientsFile(t, "a secret"),
		"no place for cookies": "HUB_PUBLIC_URL=http://hub.test",
	} {
		dir := t.TempDir()
		serving(t, environ, "HUB_DATA_DIR="+dir)
		if _, err := os.Stat(filepath.Join(dir, "secrets")); !os.IsNotExist(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
