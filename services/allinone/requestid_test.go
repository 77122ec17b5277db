package allinone_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/log"
)

// lines is a log that several goroutines write.
type lines struct {
	mu  sync.Mutex
	all [][]byte
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, bytes.Clone(line))
	return len(line), nil
}

func TestRequestIDIsInTheLogsOfEdgeAndHub(t *testing.T) {
	var written lines
	logger := log.New(&written, log.Config{Format: "json", Level: slog.LevelDebug})
	hub, stop := openWith(t, logger, t.TempDir())
	for id, access := range map[string]string{"r-1": token(t, hub, "erp"), "r-2": "rubbish"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, hub.URL()+"/message-hub/unread-count?username=alice", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+access)
		req.Header.Set("X-Request-Id", id)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if got := resp.Header["X-Request-Id"]; len(got) != 1 || got[0] != id {
			t.Errorf("the answer has the ids %q, want %s", got, id)
		}
	}
	stop()

	got := map[string][]string{}
	for _, line := range written.all {
		var entry struct {
			ID  string `json:"request_id"`
			Msg string `json:"msg"`
		}
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if entry.ID == "r-1" || entry.ID == "r-2" {
			got[entry.ID] = append(got[entry.ID], entry.Msg)
		}
	}
	want := map[string][]string{"r-1": {"grpc call", "http request"}, "r-2": {"http request"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
