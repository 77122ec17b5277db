package stage_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

func TestWindowKeepsOneProfileOfEach(t *testing.T) {
	asked := make(chan string, 2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.String()
		_, _ = io.WriteString(w, "samples")
	}))
	defer server.Close()
	dir, addr := t.TempDir(), strings.TrimPrefix(server.URL, "http://")
	wait := stage.Window(t.Context(), dir, "row-9", 3, []stage.Service{{"edge", addr}, {"todohub", addr}}, 2500*time.Millisecond)
	taken, err := wait()
	if err != nil || len(taken) != 2 || string(taken[0]) != "samples" || string(taken[1]) != "samples" {
		t.Errorf("got %q, %v", taken, err)
	}
	if got := <-asked; got != "/debug/pprof/profile?seconds=3" {
		t.Errorf("asked for %s", got)
	}
	for _, name := range []string{"row-9-edge-3.pprof", "row-9-todohub-3.pprof"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != "samples" {
			t.Errorf("kept %q, %v", got, err)
		}
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
