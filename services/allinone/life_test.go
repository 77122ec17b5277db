package allinone_test

import (
	"bufio"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/metadata"

	"example.com/hub/pkg/config"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/allinone"
)

func TestDataAndTokensSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	// Tokens name their issuer, so the address must be the same after the restart.
	environ := []string{"HUB_PUBLIC_URL=http://hub.test"}
	hub, stop := open(t, dir, environ...)
	access := token(t, hub, "erp")
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+access)
	if _, err := todov1.NewTodoServiceClient(dial(t, hub)).UpsertTodo(ctx, upsert("kept")); err != nil {
		t.Fatal(err)
	}
	stop()

	again := startIn(t, dir, environ...)
	resp := get(t, again.URL()+"/todo-hub/todos?assigneeUsername=alice", access)
	var list struct {
		Data []struct{ ID string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil || len(list.Data) != 1 || list.Data[0].ID != "kept" {
		t.Errorf("%s: got %v, %v", resp.Status, list, err)
	}
}

func TestStopEndsOpenStreamsInTime(t *testing.T) {
	hub, stop := open(t, t.TempDir(), "HUB_DRAIN_SPREAD=0s")
	resp := get(t, hub.URL()+"/message-hub/stream?user=alice", token(t, hub, "portal"))
	lines := bufio.NewReader(resp.Body)
	if first, err := lines.ReadString('\n'); err != nil || first != "retry: 3000\n" {
		t.Fatalf("got %q, %v", first, err)
	}
	begin := time.Now()
	stop()
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("the stop took %v", took)
	}
	for {
		if _, err := lines.ReadString('\n'); err != nil {
			break // closed by the server
		}
	}
}

func TestStopSpreadsTheEndsOfStreams(t *testing.T) {
	hub, stop := open(t, t.TempDir(), "HUB_DRAIN_SPREAD=3200ms")
	access := token(t, hub, "portal")
	for _, user := range []string{"alice", "bob"} {
		resp := get(t, hub.URL()+"/message-hub/stream?user="+user, access)
		if first, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil {
			t.Fatalf("got %q, %v", first, err)
		}
	}
	begin := time.Now()
	stop()
	if took := time.Since(begin); took < 1600*time.Millisecond {
		t.Errorf("the second stream ended after %v", took)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	running := start(t)
	taken := strings.TrimPrefix(running.URL(), "http://")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, environ, want string }{
		{"taken port", "HUB_HTTP_ADDR=" + taken, "HUB_HTTP_ADDR: " + taken + " is taken; is it running already?"},
		{"no port", "HUB_GRPC_ADDR=127.0.0.1:99999", "HUB_GRPC_ADDR: must be host:port of this machine, not \"127.0.0.1:99999\""},
		{"data folder is a file", "HUB_DATA_DIR=" + file, "HUB_DATA_DIR: mkdir " + file + ": not a directory"},
		{"no such clients file", "HUB_CLIENTS_FILE=/nowhere/clients.json", "HUB_CLIENTS_FILE: open /nowhere/clients.json: no such file or directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var cfg allinone.Config
			err := config.Load(&cfg, []string{
				"HUB_HTTP_ADDR=127.0.0.1:0", "HUB_GRPC_ADDR=127.0.0.1:0", "HUB_DATA_DIR=" + t.TempDir(), tt.environ,
			})
			if err != nil {
				t.Fatal(err)
			}
			_, err = allinone.Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %q, want %q", err, tt.want)
			}
		})
	}
}

func TestDemoClientsNeedALoopbackAddress(t *testing.T) {
	for addr, ok := range map[string]bool{
		"127.0.0.1:80": true, "[::1]:80": true, "localhost:80": true,
		":80": false, "0.0.0.0:80": false, "192.0.2.1:80": false, "hub.example:80": false,
	} {
		var cfg allinone.Config
		err := config.Load(&cfg, []string{"HUB_HTTP_ADDR=" + addr})
		if (err == nil) != ok {
			t.Errorf("%s: %v", addr, err)
		}
		if err := config.Load(&cfg, []string{"HUB_HTTP_ADDR=" + addr, "HUB_CLIENTS_FILE=clients.json"}); err != nil {
			t.Errorf("%s with a clients file: %v", addr, err)
		}
	}
}
