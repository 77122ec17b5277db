package allinone_test

import (
	"bufio"
	"bytes"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"example.com/hub/pkg/config"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/allinone"
)

// openFails opens a Hub that must not start, and gives the reason.
func openFails(t *testing.T, dir string) string {
	t.Helper()
	var cfg allinone.Config
	if err := config.Load(&cfg, []string{
		"HUB_HTTP_ADDR=127.0.0.1:0", "HUB_GRPC_ADDR=127.0.0.1:0", "HUB_DATA_DIR=" + dir,
	}); err != nil {
		t.Fatal(err)
	}
	_, err := allinone.Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err == nil {
		t.Fatal("it started")
	}
	return err.Error()
}

// startAndStop runs a Hub until it serves, and gives its log.
func startAndStop(t *testing.T, dir string) string {
	t.Helper()
	var log bytes.Buffer
	hub, stop := openWith(t, slog.New(slog.NewTextHandler(&log, nil)), dir)
	if err := check(t, hub, insecure.NewCredentials()); err != nil {
		t.Error(err)
	}
	stop()
	return log.String()
}

// startsEmpty is what the log says of a database that may have been lost.
const startsEmpty = "a database is missing beside another one and starts empty"

func TestOneHubHasTheFolder(t *testing.T) {
	dir := t.TempDir()
	hub, stop := open(t, dir)
	if err := check(t, hub, insecure.NewCredentials()); err != nil {
		t.Error(err)
	}
	want := "HUB_DATA_DIR: " + dir + " is in use by another hub; stop that one, or give this one a folder of its own"
	if got := openFails(t, dir); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	stop()
	startAndStop(t, dir)
}

// TestFolderIsFreeAfterAKill kills the binary itself, which gives nothing back in order.
func TestFolderIsFreeAfterAKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary := filepath.Join(t.TempDir(), "hub")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./cmd/hub").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	hub := exec.CommandContext(t.Context(), binary)
	hub.Env = []string{"HUB_HTTP_ADDR=127.0.0.1:0", "HUB_GRPC_ADDR=127.0.0.1:0", "HUB_DATA_DIR=" + dir}
	out, err := hub.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan() && !strings.Contains(lines.Text(), "is ready"); {
	}
	if got := openFails(t, dir); !strings.Contains(got, "in use by another hub") {
		t.Errorf("beside a process: %s", got)
	}
	if err := hub.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = hub.Wait() // it was killed
	startAndStop(t, dir)
}

func TestLostDatabaseIsNotMadeAnew(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"messagehub.db", "todohub.db"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			startAndStop(t, dir)
			lost := filepath.Join(dir, name)
			want := "HUB_DATA_DIR: " + dir + " had " + name + ", which is missing; put it back as docs/operations/backup.md#sqlite says, or delete its line from " +
				filepath.Join(dir, "databases") + " to start with an empty one"
			if err := os.Remove(lost); err != nil {
				t.Fatal(err)
			}
			if got := openFails(t, dir); got != want {
				t.Errorf("without the file: got %q, want %q", got, want)
			}
			if err := os.WriteFile(lost, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := openFails(t, dir); got != want {
				t.Errorf("with an empty file: got %q, want %q", got, want)
			}
			record := filepath.Join(dir, "databases")
			text, err := os.ReadFile(record)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(record, bytes.ReplaceAll(text, []byte(name+"\n"), nil), 0o600); err != nil {
				t.Fatal(err)
			}
			startAndStop(t, dir) // as the message says
		})
	}
}

// TestFolderWithoutARecord is one of a release that kept none, whole and with a part of its files.
func TestFolderWithoutARecord(t *testing.T) {
	dir := t.TempDir()
	hub, stop := open(t, dir)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token(t, hub, "erp"))
	if _, err := todov1.NewTodoServiceClient(dial(t, hub)).UpsertTodo(ctx, upsert("kept")); err != nil {
		t.Fatal(err)
	}
	stop()
	for _, remove := range [][]string{{"databases"}, {"databases", "messagehub.db"}} {
		for _, name := range remove {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		log := startAndStop(t, dir)
		if warned := strings.Contains(log, startsEmpty); warned != (len(remove) > 1) {
			t.Errorf("without %v: %s", remove, log)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "databases")); err != nil || !strings.Contains(string(text), "messagehub.db\n") {
			t.Errorf("the record is %q, %v", text, err)
		}
	}
}

// TestDatabaseOfALaterReleaseIsMade plays the first start of a release that has one more database.
func TestDatabaseOfALaterReleaseIsMade(t *testing.T) {
	dir := t.TempDir()
	startAndStop(t, dir)
	if err := os.Remove(filepath.Join(dir, "messagehub.db")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "databases"), []byte("todohub.db\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if log := startAndStop(t, dir); strings.Contains(log, startsEmpty) {
		t.Errorf("the new database is taken for a lost one: %s", log)
	}
}
