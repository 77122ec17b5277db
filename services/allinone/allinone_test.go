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
		"HUB_HTTP_ADDR=127.0.0.1:0", "HUB_GRPC_ADDR=127.0.0.1:0", "HUB_DATA_DIR=" + dir, "HUB_DEMO_DATA=false", "HUB_LOG_LEVEL=warn",
		"HUB_CALL_TIMEOUT=20s", "HUB_LIST_TIMEOUT=20s", "HUB_DRAIN_SPREAD=10s", // a busy machine may be late
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

// The suites run beside each other, each with a Hub of its own: their cases mostly wait for events.
func TestContract(t *testing.T) {
	t.Parallel()
	contract.Run(t, target(start(t, "HUB_HEARTBEAT_INTERVAL=1s"), everySecond))
}

func TestPortal(t *testing.T) {
	t.Parallel()
	portal.Run(t, target(start(t, "HUB_HEARTBEAT_INTERVAL=1s"), everySecond))
}

func TestContractWithErrorStatus200(t *testing.T) {
	t.Parallel()
	hub := start(t, "HUB_ERROR_STATUS=200")
	contract.RunErrorStatus200(t, target(hub, func(s *contract.Settings) { s.ErrorStatus200 = true }))
}

func TestContractWithSourceOwnership(t *testing.T) {
	t.Parallel()
	hub := start(t, "HUB_TODO_OWNERSHIP=source", "HUB_HEARTBEAT_INTERVAL=1s")
	owned := target(hub, func(s *contract.Settings) { everySecond(s); s.TodoOwnership = contract.OwnershipSource })
	contract.RunSourceOwnership(t, owned)
	portal.RunSourceOwnership(t, owned)
}

func TestContractWithTimeZone(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Asia/Shanghai")
	if err != nil {
		t.Fatal(err)
	}
	hub := start(t, "HUB_TIME_ZONE=Asia/Shanghai")
	contract.RunTimeZone(t, target(hub, func(s *contract.Settings) { s.TimeZone = zone }))
}

func TestContractWithURLSchemes(t *testing.T) {
	t.Parallel()
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
