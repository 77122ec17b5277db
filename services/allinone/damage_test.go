package allinone_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/metadata"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/allinone"
)

// TestDamagedFileIsNoticed writes rubbish over the middle of the file of messages.
func TestDamagedFileIsNoticed(t *testing.T) {
	dir := t.TempDir()
	hub, stop := open(t, dir)
	access := token(t, hub, "erp")
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+access)
	users := make([]string, 5000)
	for i := range users {
		users[i] = fmt.Sprint("user-", i)
	}
	if _, err := messagev1.NewMessageServiceClient(dial(t, hub)).PushMessage(ctx, &messagev1.PushMessageRequest{
		SourceMessageId: "m", Title: "t", Content: "c", Category: "c", TargetUsernames: users,
	}); err != nil {
		t.Fatal(err)
	}
	stop()
	path := filepath.Join(dir, "messagehub.db")
	damage(t, path)

	hub = startIn(t, dir, withAdmin)
	awaitReady(t, hub, http.StatusOK, "") // nothing has met the damage yet
	access = token(t, hub, "erp")
	resp := get(t, hub.URL()+"/message-hub/inbox", access)
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusServiceUnavailable || strings.Contains(string(text), "messagehub.db") {
		t.Errorf("the inbox: %s %s, want 503 and not a word of the file", resp.Status, text)
	}
	awaitReady(t, hub, http.StatusServiceUnavailable, path+" is damaged, see docs/operations/backup.md#a-damaged-file")
	if resp := get(t, hub.URL()+"/todo-hub/todos", access); resp.StatusCode != http.StatusOK {
		t.Errorf("todos, whose file is whole: %s", resp.Status)
	}
}

// awaitReady waits for an answer of /readyz that holds a text.
func awaitReady(t *testing.T, hub *allinone.Hub, code int, text string) {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		got, body := admin(t, hub, "/readyz")
		if got == code && strings.Contains(body, text) {
			return
		}
		select {
		case <-late:
			t.Fatalf("/readyz stays at %d %s, want %d %s", got, body, code, text)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// damage overwrites the middle half of a file.
func damage(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	rubbish := strings.Repeat("rubbish ", int(info.Size()/16))
	if _, err := f.WriteAt([]byte(rubbish), info.Size()/4); err != nil {
		t.Fatal(err)
	}
}
