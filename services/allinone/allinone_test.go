package allinone_test

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"example.com/hub/contract"
	"example.com/hub/contract/portal"
	"example.com/hub/pkg/config"
	"example.com/hub/services/allinone"
)

// start runs a Hub with settings of the test's own on free ports, until the test is over.
func start(t *testing.T, environ ...string) *allinone.Hub {
	t.Helper()
	return startIn(t, t.TempDir(), environ...)
}

func startIn(t *testing.T, dir string, environ ...string) *allinone.Hub {
	t.Helper()
	hub, stop := open(t, dir, environ...)
	t.Cleanup(stop)
	return hub
}

// open runs a Hub; stop ends it and fails the test unless it ended in order.
func open(t *testing.T, dir string, environ ...string) (hub *allinone.Hub, stop func()) {
	t.Helper()
	return openWith(t, slog.New(slog.DiscardHandler), dir, environ...)
}

func openWith(t *testing.T, logger *slog.Logger, dir string, environ ...string) (hub *allinone.Hub, stop func()) {
	t.Helper()
	var cfg allinone.Config
	environ = append([]string{
		"HUB_HTTP_ADDR=127.0.0.1:0", "HUB_GRPC_ADDR=127.0.0.1:0", "HUB_DATA_DIR=" + dir, "HUB_LOG_LEVEL=warn",
	}, environ...)
	if err := config.Load(&cfg, environ); err != nil {
		t.Fatal(err)
	}
	hub, err := allinone.Open(t.Context(), cfg, logger)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- hub.Run(ctx) }()
	return hub, func() {
		t.Helper()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("stop: %v", err)
		}
	}
}

func target(hub *allinone.Hub, set func(*contract.Settings)) contract.Target {
	settings := contract.DefaultSettings()
	set(&settings)
	return contract.Target{
		BaseURL:      hub.URL(),
		Client:       contract.Credentials{ID: "erp", Secret: "erp-secret"},
		Other:        contract.Credentials{ID: "portal", Secret: "portal-secret"},
		Limited:      contract.Credentials{ID: "limited", Secret: "limited-secret"},
		LimitedScope: "profile",
		Settings:     settings,
	}
}

func TestContract(t *testing.T) {
	hub := start(t, "HUB_HEARTBEAT_INTERVAL=1s")
	contract.Run(t, target(hub, func(s *contract.Settings) { s.HeartbeatInterval = time.Second }))
}

func TestPortal(t *testing.T) {
	portal.Run(t, target(start(t), func(*contract.Settings) {}))
}

func TestContractWithErrorStatus200(t *testing.T) {
	hub := start(t, "HUB_ERROR_STATUS=200")
	contract.RunErrorStatus200(t, target(hub, func(s *contract.Settings) { s.ErrorStatus200 = true }))
}

func TestContractWithSourceOwnership(t *testing.T) {
	hub := start(t, "HUB_TODO_OWNERSHIP=source")
	contract.RunSourceOwnership(t, target(hub, func(s *contract.Settings) { s.TodoOwnership = contract.OwnershipSource }))
}

func TestContractWithTimeZone(t *testing.T) {
	zone, err := time.LoadLocation("Asia/Shanghai")
	if err != nil {
		t.Fatal(err)
	}
	hub := start(t, "HUB_TIME_ZONE=Asia/Shanghai")
	contract.RunTimeZone(t, target(hub, func(s *contract.Settings) { s.TimeZone = zone }))
}

func TestContractWithURLSchemes(t *testing.T) {
	hub := start(t, "HUB_URL_SCHEMES=https,erp")
	contract.RunURLSchemes(t, target(hub, func(s *contract.Settings) { s.URLSchemes = []string{"https", "erp"} }))
}

func get(t *testing.T, url, token string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}
