package allinone_test

import (
	"net/http"
	"strings"
	"testing"

	"example.com/hub/services/allinone"
)

// Another Hub is the outside provider.
func TestTokensOfAnOutsideProvider(t *testing.T) {
	provider := start(t)
	hub := start(t, "HUB_ISSUER_URL="+provider.URL(), "HUB_ADMIN_ADDR=127.0.0.1:0")
	for name, issuer := range map[string]*allinone.Hub{"from the provider": provider, "forwarded": hub} {
		if got := get(t, hub.URL()+"/message-hub/unread-count?username=alice", token(t, issuer, "erp")).StatusCode; got != http.StatusOK {
			t.Errorf("a token %s gets %d", name, got)
		}
	}
	own := start(t)
	if got := get(t, hub.URL()+"/message-hub/unread-count?username=alice", token(t, own, "erp")).StatusCode; got != http.StatusUnauthorized {
		t.Errorf("a token of nobody's issuer gets %d", got)
	}
	for path, want := range map[string]int{"/.well-known/jwks.json": http.StatusNotFound, "/openapi.yaml": http.StatusOK} {
		if got := get(t, hub.URL()+path, "").StatusCode; got != want {
			t.Errorf("%s: got %d, want %d", path, got, want)
		}
	}
	wantReady(t, hub)
	var welcome strings.Builder
	if err := hub.WriteWelcome(&welcome); err != nil {
		t.Fatal(err)
	}
	if text := welcome.String(); !strings.Contains(text, "those of "+provider.URL()+"\n") || strings.Contains(text, "erp-secret") {
		t.Errorf("the welcome is\n%s", text)
	}
}
