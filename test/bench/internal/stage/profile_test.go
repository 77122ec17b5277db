package stage_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/hub/test/bench/internal/stage"
)

func TestProfileKeepsWhatTheServiceAnswers(t *testing.T) {
	asked := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked <- r.URL.String():
		default:
		}
		_, _ = io.WriteString(w, "samples")
	}))
	defer server.Close()
	dir := t.TempDir()
	p := stage.Profile(t.Context(), dir, "row-9", []stage.Service{{"edge", strings.TrimPrefix(server.URL, "http://")}})
	if got := <-asked; got != "/debug/pprof/profile?seconds=5" {
		t.Errorf("asked for %s", got)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "row-9-edge-1.pprof")); err != nil || string(got) != "samples" {
		t.Errorf("kept %q, %v", got, err)
	}
}

func TestProfileTellsWhatIsMissing(t *testing.T) {
	asked := make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- struct{}{}
		w.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()
	p := stage.Profile(t.Context(), t.TempDir(), "row-9", []stage.Service{{"edge", strings.TrimPrefix(server.URL, "http://")}})
	<-asked
	if err := p.Stop(); err == nil || !strings.Contains(err.Error(), "edge: 404") {
		t.Errorf("got %v", err)
	}
}

func TestNoFolderTakesNoProfiles(t *testing.T) {
	if err := stage.Profile(t.Context(), "", "row-9", []stage.Service{{"edge", "127.0.0.1:1"}}).Stop(); err != nil {
		t.Error(err)
	}
}
