package upgrade

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"example.com/hub/test/shape/shapetest"
)

// TestPreviousHubRunsOnTheNewFiles goes back to the previous release of the one-process shape.
func TestPreviousHubRunsOnTheNewFiles(t *testing.T) {
	old := previous(t)
	data, address := t.TempDir(), shapetest.FreeAddress(t)
	for _, r := range []release{old, built.today} {
		stop := serve(t, r, data, address)
		stop()
	}
	defer serve(t, old, data, address)()
	passes(t, old, address, beats)
}

// serve runs the binary hub until stop is called.
func serve(t *testing.T, r release, data, address string) (stop func()) {
	t.Helper()
	log, err := os.CreateTemp(data, "log-")
	if err != nil {
		t.Fatal(err)
	}
	hub := exec.Command(filepath.Join(r.bin, "hub"))
	hub.Env = append(
		os.Environ(), "HUB_DATA_DIR="+data, "HUB_HTTP_ADDR="+address, "HUB_GRPC_ADDR="+shapetest.FreeAddress(t),
		"HUB_HEARTBEAT_INTERVAL=1s", "HUB_LOG_LEVEL=warn",
	)
	hub.Stdout, hub.Stderr = log, log
	if err := hub.Start(); err != nil {
		t.Fatal(err)
	}
	stop = func() {
		_ = hub.Process.Signal(syscall.SIGTERM)
		err := hub.Wait()
		text, _ := os.ReadFile(log.Name())
		if _ = log.Close(); err != nil || t.Failed() {
			t.Errorf("the hub of %s ended: %v\n%s", r.bin, err, text)
		}
	}
	if !answers(t, "http://"+address+"/.well-known/jwks.json") {
		defer stop()
		t.Fatalf("the hub of %s does not answer", r.bin)
	}
	return stop
}

// answers waits until somebody answers.
func answers(t *testing.T, url string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
			return resp.StatusCode == http.StatusOK
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
}
