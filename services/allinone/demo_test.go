package allinone_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"example.com/hub/pkg/config"
	"example.com/hub/services/allinone"
)

// clientsFile makes a file with the client erp, which has this secret.
func clientsFile(t *testing.T, secret string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(secret))
	path := filepath.Join(t.TempDir(), "clients.json")
	content := fmt.Sprintf(`{"clients":[{"id":"erp","secret_sha256":%q,"scopes":["client"]}]}`, hex.EncodeToString(sum[:]))
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return "HUB_CLIENTS_FILE=" + path
}

// serving starts a Hub and waits until it serves gRPC, too: a stop that comes earlier counts as a failure.
func serving(t *testing.T, environ ...string) *allinone.Hub {
	t.Helper()
	hub := start(t, environ...)
	if _, err := healthpb.NewHealthClient(dial(t, hub)).Check(t.Context(), &healthpb.HealthCheckRequest{}); err != nil {
		t.Fatal(err)
	}
	return hub
}

// TestDemoClientsAreServedByLoopbackNamesOnly asks as a browser does that a website sent to another name for
// this machine.
func TestDemoClientsAreServedByLoopbackNamesOnly(t *testing.T) {
	for name, tt := range map[string]struct {
		environ []string
		hosts   map[string]int
	}{
		"demo clients": {
			[]string{"HUB_PUBLIC_URL=http://hub.test"},
			map[string]int{"localhost:8080": 200, "127.0.0.1": 200, "[::1]:1": 200, "hub.test": 200, "evil.example": 403, "evil.example:8080": 403},
		},
		"published secret":   {[]string{clientsFile(t, "erp-secret")}, map[string]int{"localhost": 200, "evil.example": 403}},
		"clients of its own": {[]string{clientsFile(t, "a secret")}, map[string]int{"localhost": 200, "evil.example": 200}},
	} {
		t.Run(name, func(t *testing.T) {
			hub := serving(t, tt.environ...)
			for host, want := range tt.hosts {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, hub.URL()+"/openapi.yaml", nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Host = host
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				_ = resp.Body.Close()
				if resp.StatusCode != want {
					t.Errorf("%s: %s, want %d", host, resp.Status, want)
				}
			}
		})
	}
}

func TestPublishedSecretsNeedLoopback(t *testing.T) {
	for _, address := range []string{"HUB_HTTP_ADDR=0.0.0.0:0", "HUB_GRPC_ADDR=0.0.0.0:0"} {
		var cfg allinone.Config
		err := config.Load(&cfg, []string{
			"HUB_HTTP_ADDR=127.0.0.1:0", "HUB_GRPC_ADDR=127.0.0.1:0", "HUB_DATA_DIR=" + t.TempDir(), address, clientsFile(t, "erp-secret"),
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = allinone.Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), `the client "erp" has a secret of Hub's demo clients`) {
			t.Errorf("%s: %v", address, err)
		}
		for _, environ := range [][]string{{clientsFile(t, "a secret")}, {clientsFile(t, "erp-secret"), "HUB_ALLOW_DEMO_SECRETS=true"}} {
			serving(t, append(environ, address)...)
		}
	}
}

// TestTheDemoHasSomethingToLookAt reads the counts of the demo users, and starts again on the same folder, where
// somebody has cleared a todo.
func TestTheDemoHasSomethingToLookAt(t *testing.T) {
	counts := func(hub *allinone.Hub, user string) string {
		resp := get(t, hub.URL()+"/counts?lists=toHandle,overdue,toRead,done,read,unread&username="+user, token(t, hub, "portal"))
		defer func() { _ = resp.Body.Close() }()
		var answer struct{ Data map[string]int }
		if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(answer.Data)
	}
	dir := t.TempDir()
	hub, stop := open(t, dir, "HUB_DEMO_DATA=true")
	if got := counts(hub, "amy"); got != "map[done:3 overdue:1 read:2 toHandle:6 toRead:3 unread:4]" {
		t.Errorf("amy has %s", got)
	}
	for _, user := range []string{"ben", "carla"} {
		if got := counts(hub, user); !strings.Contains(got, "toHandle:2 toRead:1 unread:4") {
			t.Errorf("%s has %s", user, got)
		}
	}
	if resp, msg := post(t, hub.URL()+"/todo-hub/todos/po-7301/clear", token(t, hub, "erp"), `{"result":"approved"}`); resp.StatusCode != http.StatusOK {
		t.Errorf("%s: %s", resp.Status, msg)
	}
	stop()
	again := startIn(t, dir, "HUB_DEMO_DATA=true")
	if got := counts(again, "amy"); got != "map[done:4 overdue:1 read:2 toHandle:5 toRead:3 unread:4]" {
		t.Errorf("later amy has %s", got)
	}
}
