package shape_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/hub/test/shape"
)

// run runs a binary that ends by itself.
func run(t *testing.T, environ []string, binary string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, binary), args...)
	cmd.Env = append(os.Environ(), environ...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the code tells
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// serving is the command that serves.
func serving(binary string) []string {
	if binary == "hub" {
		return nil
	}
	return []string{"serve"}
}

// All binaries have one environment, whose certificate ends them after they have their logger.
func TestUnknownSettingsAreNamedAtTheStart(t *testing.T) {
	t.Parallel()
	none := filepath.Join(t.TempDir(), "none")
	environ := []string{
		"HUB_HTTP_ADR=127.0.0.1:0", "HUB_PUBLIC_URL=http://hub.test", "HUB_DATABASE_URL=postgres://127.0.0.1:1/hub",
		"HUB_CLIENTS_FILE=" + none, "HUB_SIGNING_KEYS_FILE=" + none, "HUB_INTERNAL_KEY_FILE=" + none,
		"HUB_TLS_CERT_FILE=" + none, "HUB_TLS_KEY_FILE=" + none, "HUB_DATA_DIR=" + t.TempDir(),
	}
	for _, binary := range binaries {
		code, _, errs := run(t, environ, binary, serving(binary)...)
		if code != 1 || !strings.Contains(errs, `level=WARN msg="setting ignored" reason="HUB_HTTP_ADR: there is no such setting; is HUB_HTTP_ADDR meant?"`) {
			t.Errorf("%s ends with %d and\n%s", binary, code, errs)
		}
		if strings.Count(errs, "level=WARN") != 1 || !strings.Contains(errs, "level=INFO") {
			t.Errorf("%s speaks of the settings of others as\n%s", binary, errs)
		}
	}
}

func TestUnknownSettingsOfMigrateAreNamed(t *testing.T) {
	t.Parallel()
	environ := []string{"HUB_MIGRATE_WIAT=1h", "HUB_MIGRATE_WAIT=0s", "HUB_DATABASE_URL=postgres://127.0.0.1:1/hub"}
	for _, binary := range shape.Hubs() {
		code, _, errs := run(t, environ, binary, "migrate")
		if want := "HUB_MIGRATE_WIAT: there is no such setting; is HUB_MIGRATE_WAIT meant?"; code != 1 || !strings.Contains(errs, want) {
			t.Errorf("%s migrate ends with %d and\n%s", binary, code, errs)
		}
	}
}

func TestFaultsOfSettingsAreToldAtOnce(t *testing.T) {
	t.Parallel()
	environ := []string{"HUB_LOG_LEVEL=loud", "HUB_MAX_PAGE_SIZE=many", "HUB_LIMIT_BURST=15", "HUB_TLS_CRT_FILE=x"}
	for _, binary := range binaries {
		code, _, errs := run(t, environ, binary, serving(binary)...)
		if code != 2 {
			t.Errorf("%s ends with %d", binary, code)
		}
		for _, want := range []string{
			`HUB_LOG_LEVEL: must be debug, info, warn or error, not "loud" (`,
			`HUB_MAX_PAGE_SIZE: must be a whole number, not "many" (largest page of a list, in entries, from 1 to 1000;`,
			`HUB_LIMIT_BURST: must have a unit: write 15s for seconds, not "15" (`,
			`HUB_TLS_CRT_FILE: there is no such setting; is HUB_TLS_CERT_FILE meant?`,
		} {
			if strings.Count(errs, binary+": "+want) != 1 {
				t.Errorf("%s says\n%s\nwant once %s", binary, errs, want)
			}
		}
	}
}

func TestNewClient(t *testing.T) {
	t.Parallel()
	for _, binary := range []string{"edge", "hub"} {
		code, out, errs := run(t, nil, binary, "new-client", "crm", "client")
		var entry struct {
			ID     string   `json:"id"`
			Sums   []string `json:"secret_sha256"`
			Scopes []string `json:"scopes"`
		}
		if err := json.Unmarshal([]byte(out), &entry); err != nil || code != 0 || entry.ID != "crm" || len(entry.Sums) != 1 || len(entry.Scopes) != 1 {
			t.Errorf("%s ends with %d, %v and\n%s%s", binary, code, err, errs, out)
		}
	}
}
