package issuer_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/hub/services/edge/internal/issuer"
	"example.com/hub/services/edge/internal/oauth/oauthtest"
)

// demoFile has a secret of the demo clients at a client of another name, beside one of its own.
func demoFile() []byte {
	return []byte(`{"clients":[{"id":"own","secret_sha256":"` + sumOf("erp-key") + `","scopes":["client"]},
		{"id":"backend","secret_sha256":["` + sumOf("x") + `","` + strings.ToUpper(sumOf("portal-secret")) + `"],"scopes":["client"]}]}`)
}

func TestPublishedSecretsAreRefusedWhereOthersReachThem(t *testing.T) {
	b := prepare(t)
	write(t, b.cfg.ClientsFile, demoFile())
	b.deps.Public = true
	_, err := issuer.Open(b.cfg, b.deps)
	if err == nil || !strings.HasPrefix(err.Error(), "HUB_CLIENTS_FILE: ") || !strings.Contains(err.Error(), `the client "backend" has a secret of Hub's demo clients`) {
		t.Errorf("the error is %v", err)
	}

	b.cfg.AllowDemoSecrets = true
	b.open(t)
	b.cfg.AllowDemoSecrets, b.deps.Public = false, false
	if !b.open(t).Demo() {
		t.Error("the issuer has no demo clients")
	}
}

// TestPublishedSecretsAreRefusedLater changes the file of a running issuer.
func TestPublishedSecretsAreRefusedLater(t *testing.T) {
	b := prepare(t)
	b.deps.Public = true
	b.open(t)
	if b.Demo() {
		t.Error("the issuer has demo clients")
	}
	write(t, b.cfg.ClientsFile, demoFile())
	b.advance(time.Minute)
	b.wantStatus(t, oauthtest.Request(oauthtest.Form("client_id", "backend", "client_secret", "portal-secret")), http.StatusUnauthorized)
	b.wantStatus(t, oauthtest.Request(oauthtest.Form()), http.StatusOK)
	if log := b.log.String(); !strings.Contains(log, `the client \"backend\" has a secret`) {
		t.Errorf("the log is %s", log)
	}
}

func TestDemoClientsHavePublishedSecrets(t *testing.T) {
	b := prepare(t)
	b.cfg.ClientsFile, b.deps.Clients = "", issuer.DemoClients()
	if !b.open(t).Demo() {
		t.Error("the issuer has no demo clients")
	}
}
