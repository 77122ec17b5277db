package issuer_test

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/hub/services/edge/internal/issuer"
	"example.com/hub/services/edge/internal/oauth/oauthtest"
)

func client(id, secret string) []byte {
	return []byte(`{"clients":[{"id":"` + id + `","secret_sha256":"` + sumOf(secret) + `","scopes":["client"]}]}`)
}

func TestClientsFileIsReadAgainWhenItChanges(t *testing.T) {
	b := newBench(t)
	hr := func() *http.Request {
		return oauthtest.Request(oauthtest.Form("client_id", "hr", "client_secret", "hr-key"))
	}
	b.wantStatus(t, hr(), http.StatusUnauthorized)

	write(t, b.cfg.ClientsFile, client("hr", "hr-key"))
	b.advance(5 * time.Second)
	b.wantStatus(t, hr(), http.StatusOK)
	b.wantStatus(t, oauthtest.Request(oauthtest.Form()), http.StatusUnauthorized)

	// A file that is broken, or gone for a moment, takes nothing away and is reported once.
	for _, breakIt := range []func(){
		func() { write(t, b.cfg.ClientsFile, []byte(`{"clients":[`)) },
		func() {
			if err := os.Remove(b.cfg.ClientsFile); err != nil {
				t.Fatal(err)
			}
		},
	} {
		breakIt()
		before := strings.Count(b.log.String(), `"level":"ERROR"`)
		for range 3 {
			b.advance(5 * time.Second)
			b.wantStatus(t, hr(), http.StatusOK)
		}
		if got := strings.Count(b.log.String(), `"level":"ERROR"`) - before; got != 1 {
			t.Errorf("%d errors in the log, want 1: %s", got, b.log)
		}
	}

	write(t, b.cfg.ClientsFile, client("erp", "erp-key"))
	b.advance(5 * time.Second)
	b.wantStatus(t, hr(), http.StatusUnauthorized)
	b.wantStatus(t, oauthtest.Request(oauthtest.Form()), http.StatusOK)
}

func TestDemoClients(t *testing.T) {
	b := prepare(t)
	b.cfg.ClientsFile = ""
	b.deps.Clients = issuer.DemoClients()
	b.open(t)
	for id, scope := range map[string]string{"erp": "client", "portal": "client", "limited": "profile"} {
		got := b.wantStatus(t, oauthtest.Request(oauthtest.Form("client_id", id, "client_secret", id+"-secret", "scope", "")), http.StatusOK)
		if got.Scope != scope {
			t.Errorf("%s has the scope %q, want %q", id, got.Scope, scope)
		}
		b.wantStatus(t, oauthtest.Request(oauthtest.Form("client_id", id, "client_secret", "x")), http.StatusUnauthorized)
	}
}

func TestClientOfTheFileComesBeforeOneOfTheSameID(t *testing.T) {
	b := prepare(t)
	b.deps.Clients = issuer.DemoClients()
	b.open(t)
	b.wantStatus(t, oauthtest.Request(oauthtest.Form()), http.StatusOK)
	b.wantStatus(t, oauthtest.Request(oauthtest.Form("client_secret", "erp-secret")), http.StatusUnauthorized)
	b.wantStatus(t, oauthtest.Request(oauthtest.Form("client_id", "portal", "client_secret", "portal-secret")), http.StatusOK)
}

func TestBadClientsFileIsRefusedAtStart(t *testing.T) {
	sum := sumOf("x")
	for name, content := range map[string]string{
		"empty":            ``,
		"no JSON":          `clients:`,
		"more follows":     string(client("erp", "x")) + `{}`,
		"unknown member":   `{"clients":[{"id":"erp","secret_sha256":"` + sum + `","scopes":["client"],"scope":"x"}]}`,
		"no id":            `{"clients":[{"secret_sha256":"` + sum + `","scopes":["client"]}]}`,
		"unreadable id":    `{"clients":[{"id":"a\nb","secret_sha256":"` + sum + `","scopes":["client"]}]}`,
		"no secret":        `{"clients":[{"id":"erp","scopes":["client"]}]}`,
		"no secrets":       `{"clients":[{"id":"erp","secret_sha256":[],"scopes":["client"]}]}`,
		"plain secret":     `{"clients":[{"id":"erp","secret_sha256":"erp-key","scopes":["client"]}]}`,
		"short sum":        `{"clients":[{"id":"erp","secret_sha256":"` + sum[2:] + `","scopes":["client"]}]}`,
		"sum is a number":  `{"clients":[{"id":"erp","secret_sha256":7,"scopes":["client"]}]}`,
		"no scopes":        `{"clients":[{"id":"erp","secret_sha256":"` + sum + `"}]}`,
		"scope of 2 words": `{"clients":[{"id":"erp","secret_sha256":"` + sum + `","scopes":["client profile"]}]}`,
		"empty scope":      `{"clients":[{"id":"erp","secret_sha256":"` + sum + `","scopes":[""]}]}`,
		"id twice": `{"clients":[{"id":"erp","secret_sha256":"` + sum + `","scopes":["client"]},` +
			`{"id":"erp","secret_sha256":"` + sum + `","scopes":["client"]}]}`,
		"huge": strings.Repeat(" ", 5<<20) + string(client("erp", "x")),
	} {
		t.Run(name, func(t *testing.T) {
			b := prepare(t)
			write(t, b.cfg.ClientsFile, []byte(content))
			wantOpenError(t, b, "HUB_CLIENTS_FILE")
		})
	}
	t.Run("missing", func(t *testing.T) {
		b := prepare(t)
		b.cfg.ClientsFile += ".none"
		wantOpenError(t, b, "HUB_CLIENTS_FILE")
	})
	t.Run("no clients at all", func(t *testing.T) {
		b := prepare(t)
		b.cfg.ClientsFile = ""
		wantOpenError(t, b, "HUB_CLIENTS_FILE")
	})
}

func TestClientsFileFaultsAreToldByEntry(t *testing.T) {
	good := `{"id":"erp","secret_sha256":"` + sumOf("x") + `","scopes":["client"]}`
	for content, want := range map[string]string{
		"{\n\"clients\": [\n" + good + ",\n]}": "not JSON in line 4",
		`{"clients":[` + good:                  "not JSON in line 1",
		`[` + good + `]`:                       `must be an object, {"clients": [...]}`,
		`{"clients":{"erp":"x"}}`:              "clients must be an array",
		`{"client":[]}`:                        `there is no field "client" beside clients`,
		`{"clients":["erp"]}`:                  "entry 1: must be an object",
		`{"clients":[null]}`:                   "entry 1: must be an object",
		`{"clients":[` + good + `,{"id":7,"scopes":["client"]},{"id":"hr","secret":"x"},{"id":"crm","secret_sha256":[7]},` +
			`{"id":"bi","scopes":"client"},{"id":"pay","secret_sha256":"pay-secret","scopes":["client"]},` + good + `,{"id":""}]}`: "" +
			`entry 2: id must be a string; ` +
			`entry 3 ("hr"): there is no field "secret" beside id, secret_sha256 and scopes; ` +
			`entry 4 ("crm"): secret_sha256 must be a string or an array of strings; ` +
			`entry 5 ("bi"): scopes must be an array of strings; ` +
			`entry 6 ("pay"): secret_sha256 must be 64 hex digits, the SHA-256 sum of the secret; ` +
			`entry 7 ("erp"): the id is there twice; ` +
			`entry 8: id must have 1 to 128 characters without control characters, not ""`,
	} {
		b := prepare(t)
		write(t, b.cfg.ClientsFile, []byte(content))
		_, err := issuer.Open(b.cfg, b.deps)
		if want := "HUB_CLIENTS_FILE: read " + b.cfg.ClientsFile + ": " + want; err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", content, err, want)
		}
	}
}

func TestClientWithTheNameOfAUserIsRefusedAtStart(t *testing.T) {
	b := prepare(t)
	write(t, b.cfg.ClientsFile, client("user:amy", "x"))
	b.open(t) // where there are no users
	b.deps.Users = true
	wantOpenError(t, b, "HUB_CLIENTS_FILE")
}

func wantOpenError(t *testing.T, b *bench, setting string) {
	t.Helper()
	if _, err := issuer.Open(b.cfg, b.deps); err == nil || !strings.Contains(err.Error(), setting) {
		t.Errorf("Open: %v, want an error that names %s", err, setting)
	}
}

func TestFilesMayChangeUnderLoad(t *testing.T) {
	b := newBench(t)
	v := b.verifier()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 10 {
				b.advance(5 * time.Second)
				raw := b.get(t)
				if _, err := v.Verify(t.Context(), raw); err != nil {
					t.Error(err)
				}
			}
		})
	}
	replace := func(content []byte) {
		next := b.cfg.SigningKeysFile + ".next"
		write(t, next, content)
		if err := os.Rename(next, b.cfg.SigningKeysFile); err != nil {
			t.Error(err)
		}
	}
	for range 20 {
		replace(slices.Concat(pkcs8(secondKey()), pkcs8(firstKey())))
		replace(slices.Concat(pkcs8(firstKey()), pkcs8(secondKey())))
	}
	wg.Wait()
}
