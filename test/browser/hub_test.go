package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/hub/test/shape"
	"example.com/hub/test/shape/shapetest"
)

// hub is Hub while it runs, as a business system sees it.
type hub struct {
	// url is where browsers reach it.
	url string
	// direct is where this process reaches it, by http.
	direct string
	token  string
}

// startHub runs the binary hub at an address of loopback, until the test is over.
func startHub(t *testing.T, address string, environ ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "hub"))
	cmd.Env = append(os.Environ(), append([]string{
		"HUB_HTTP_ADDR=" + address, "HUB_GRPC_ADDR=" + shapetest.FreeAddress(t), "HUB_DATA_DIR=" + t.TempDir(),
		"HUB_DEMO_DATA=false", "HUB_HEARTBEAT_INTERVAL=1s", "HUB_LOG_LEVEL=warn",
	}, environ...)...)
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
}

// demo runs a Hub with its demo people, by http on loopback.
func demo(t *testing.T, environ ...string) hub {
	t.Helper()
	address := shapetest.FreeAddress(t)
	startHub(t, address, environ...)
	return reach(t, "http://"+address, "http://"+address)
}

// reach waits until Hub answers.
func reach(t *testing.T, url, direct string) hub {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		token, err := shape.Token(ctx, client, direct)
		if err == nil {
			return hub{url, direct, token}
		}
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// call makes a call of the client erp and gives the data of the answer.
func (h hub) call(t *testing.T, method, path, body string) json.RawMessage {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, h.direct+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var envelope struct{ Data json.RawMessage }
	if err := json.Unmarshal(text, &envelope); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s %s", method, path, resp.Status, text)
	}
	return envelope.Data
}

// push sends a person a message that nobody sent before, and gives its id at the client.
func (h hub) push(t *testing.T, user string) string {
	t.Helper()
	id := fmt.Sprintf("m-%d", time.Now().UnixNano())
	h.call(t, http.MethodPost, "/message-hub/messages", fmt.Sprintf(
		`{"sourceMessageId":%q,"targetUsernames":[%q],"title":"Hello","content":"From a business system."}`, id, user))
	return id
}

// unread is a person's count.
func (h hub) unread(t *testing.T, user string) string {
	t.Helper()
	return string(h.call(t, http.MethodGet, "/message-hub/unread-count?username="+user, ""))
}

// demoTLS runs a Hub with its demo people that browsers reach as https://hub.test.
func demoTLS(t *testing.T) hub {
	t.Helper()
	address := shapetest.FreeAddress(t)
	url := strings.Replace("https://"+address, "127.0.0.1", "hub.test", 1)
	startHub(t, address, "HUB_PUBLIC_URL="+url, "HUB_TLS_CERT_FILE="+certificate.cert, "HUB_TLS_KEY_FILE="+certificate.key)
	return reach(t, url, "https://"+address)
}
