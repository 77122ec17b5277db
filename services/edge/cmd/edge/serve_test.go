package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/cli"
	settings "example.com/hub/pkg/config"
	"example.com/hub/services/edge"
)

// load gives the settings of an edge with the demo clients of the manifests for trials.
func load(t *testing.T, environ ...string) config {
	t.Helper()
	key, err := edge.NewSigningKey()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string][]byte{"keys.pem": key, "internal-key": []byte(strings.Repeat("k", 32))}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var cfg config
	err = settings.Load(&cfg, append([]string{
		"HUB_PUBLIC_URL=https://hub.test", "HUB_SIGNING_KEYS_FILE=" + filepath.Join(dir, "keys.pem"),
		"HUB_INTERNAL_KEY_FILE=" + filepath.Join(dir, "internal-key"), "HUB_CLIENTS_FILE=../../../../deploy/k8s/overlays/dev/clients.json",
	}, environ...))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestPublishedSecretsAreRefusedOffLoopback(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel() // one that starts would serve for ever
	for _, address := range []string{":0", "0.0.0.0:0", "[::]:0"} {
		err := serve(ctx, cli.IO{Out: t.Output(), Err: t.Output()}, load(t, "HUB_HTTP_ADDR="+address))
		if err == nil || !strings.Contains(err.Error(), `the client "erp" has a secret of Hub's demo clients`) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestAdminListensOnLoopback(t *testing.T) {
	if cfg := load(t); !edge.Loopback(cfg.AdminAddr) {
		t.Errorf("it listens on %s", cfg.AdminAddr)
	}
}
