package shape_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/hub/test/source"
)

// TestThePlaceholderOfTheInternalKeyIsRefused starts the services with what the example of the production
// Secrets has in the place of a key.
func TestThePlaceholderOfTheInternalKeyIsRefused(t *testing.T) {
	t.Parallel()
	example, err := os.ReadFile(filepath.Join(source.Root, "deploy", "k8s", "overlays", "prod", "secrets.example.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	key := regexp.MustCompile(`(?m)^  key: (\S+)$`).FindSubmatch(example)
	if key == nil {
		t.Fatal("the example has no key")
	}
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, key[1], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, service := range []string{"messagehub", "edge"} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		serve := exec.CommandContext(ctx, filepath.Join(bin, service), "serve")
		serve.Env = []string{
			"HUB_INTERNAL_KEY_FILE=" + file, "HUB_ISSUER_URL=https://issuer.test",
			"HUB_HTTP_ADDR=127.0.0.1:0", "HUB_GRPC_ADDR=127.0.0.1:0", "HUB_ADMIN_ADDR=127.0.0.1:0",
		}
		if service == "messagehub" {
			serve.Env = append(serve.Env, "HUB_DATABASE_URL=postgres://127.0.0.1:1/messagehub")
		}
		out, err := serve.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(out), "the internal key is the placeholder of an example") {
			t.Errorf("%s: %v\n%s", service, err, out)
		}
		if strings.Contains(string(out), string(key[1])) {
			t.Errorf("%s shows the key", service)
		}
	}
}
