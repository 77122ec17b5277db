package hub_test

import (
	"strings"
	"testing"

	"example.com/hub/pkg/config"
	"example.com/hub/pkg/hub"
)

func TestAdminListensOnLoopback(t *testing.T) {
	var cfg hub.Config
	if err := config.Load(&cfg, []string{"HUB_PUBLIC_URL=https://hub.test", "HUB_DATABASE_URL=postgres://127.0.0.1/hub"}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(cfg.AdminAddr, "127.0.0.1:") {
		t.Errorf("it listens on %s", cfg.AdminAddr)
	}
}
