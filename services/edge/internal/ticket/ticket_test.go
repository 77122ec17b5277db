package ticket_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/reload"
	"example.com/hub/services/edge/internal/signing"
	"example.com/hub/services/edge/internal/ticket"
)

const hub = "https://hub.test"

// open makes an issuer with a file of keys, and gives the path of the file.
func open(t *testing.T, change func(*ticket.Deps)) (*ticket.Issuer, string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ticket-keys.pem")
	k, err := signing.Open(signing.Deps{
		File: reload.File{Setting: "HUB_TICKET_KEYS_FILE", Path: path}, Type: ticket.Type, Create: true,
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	d := ticket.Deps{Keys: k, Issuer: hub, Audiences: []string{"hub", "hub-users"}}
	if change != nil {
		change(&d)
	}
	i, err := ticket.New(d)
	return i, path, err
}

// TestNoVerifierOfHubTakesATicket gives verifiers the keys, the issuer and the audience of a ticket, so that only
// its type is in the way.
func TestNoVerifierOfHubTakesATicket(t *testing.T) {
	i, _, err := open(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := i.Make("crm", "amy")
	if err != nil {
		t.Fatal(err)
	}
	own := keys.Local(i.Keys.Public)
	clients := token.New(token.Config{Issuer: hub, Audience: "crm", ClientIDClaims: []string{"sub"}, Keys: own})
	users := token.UserConfig{
		Issuer: hub, Audience: "crm", Claims: token.UserClaims{Username: "sub", Roles: "roles"}, Keys: own,
		Permissions: func([]string) []string { return nil },
	}
	kinds := token.Kinds{Clients: token.New(token.Config{Issuer: "https://other.test", Keys: own}), Users: token.NewUsers(users)}
	shared := token.NewShared(token.New(token.Config{Issuer: hub, Audience: "hub", Keys: own}), users)
	for name, v := range map[string]auth.Verifier{"clients": clients, "users": token.NewUsers(users), "kinds": kinds, "shared": shared} {
		if p, err := v.Verify(t.Context(), text); err == nil {
			t.Errorf("%s: it is taken for %+v", name, p)
		}
	}
	// The same claims with another type are taken, so it is the type.
	other, err := signing.Open(signing.Deps{File: reload.File{Path: keyFile(t)}, Type: token.TypeAccess})
	if err != nil {
		t.Fatal(err)
	}
	access, err := other.Sign(map[string]any{"iss": hub, "aud": "crm", "sub": "amy", "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix()})
	if err != nil {
		t.Fatal(err)
	}
	users.Keys = keys.Local(other.Public)
	if p, err := token.NewUsers(users).Verify(t.Context(), access); err != nil || p.User != "amy" {
		t.Errorf("a token is of %q, %v", p.User, err)
	}
}

func keyFile(t *testing.T) string {
	t.Helper()
	key, err := signing.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "keys.pem")
	if err := os.WriteFile(path, key, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestNoTicketIsForAnAudienceOfHub(t *testing.T) {
	i, _, err := open(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"hub", "hub-users"} {
		if text, _, err := i.Make(id, "amy"); !errors.Is(err, ticket.ErrAudience) || text != "" {
			t.Errorf("%s: %q, %v", id, text, err)
		}
	}
}

func TestKeysOfOtherTokensAreRefused(t *testing.T) {
	_, _, err := open(t, func(d *ticket.Deps) { d.Others = d.Keys.Public() })
	if err == nil || !strings.HasPrefix(err.Error(), "HUB_TICKET_KEYS_FILE: ") {
		t.Errorf("%v", err)
	}
	if _, _, err := open(t, func(d *ticket.Deps) { d.Others = []jose.JSONWebKey{{KeyID: "another"}} }); err != nil {
		t.Error(err)
	}
}

// TestKeysChangeWithoutARefusedTicket puts a key behind the old one, then to the front.
func TestKeysChangeWithoutARefusedTicket(t *testing.T) {
	now := time.Now()
	path := keyFile(t)
	k, err := signing.Open(signing.Deps{
		File: reload.File{Setting: "HUB_TICKET_KEYS_FILE", Path: path}, Type: ticket.Type,
		Clock: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second, err := signing.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	i, err := ticket.New(ticket.Deps{Keys: k, Issuer: hub})
	if err != nil {
		t.Fatal(err)
	}
	var made []string
	for step, content := range [][]byte{first, append(append([]byte{}, first...), second...), append(append([]byte{}, second...), first...)} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		now = now.Add(reload.Every)
		text, _, err := i.Make("crm", "amy")
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, text)
		if published := len(k.Public()); published != min(step+1, 2) {
			t.Errorf("step %d: %d keys are published", step, published)
		}
		for n, text := range made {
			if _, err := keys.Local(k.Public).VerifySignature(t.Context(), text); err != nil {
				t.Errorf("step %d: ticket %d is refused: %v", step, n, err)
			}
		}
	}
	if head := func(s string) string { h, _, _ := strings.Cut(s, "."); return h }; head(made[0]) != head(made[1]) || head(made[1]) == head(made[2]) {
		t.Error("the key in front is not the one that signs")
	}
	w := httptest.NewRecorder()
	i.ServeKeys(w, httptest.NewRequest(http.MethodGet, ticket.PathKeys, nil))
	if w.Code != http.StatusOK || strings.Count(w.Body.String(), `"kid"`) != 2 || strings.Contains(w.Body.String(), `"d":`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestATicketStandsAtTheEndOfTheQuery(t *testing.T) {
	for address, want := range map[string]string{
		"https://a.test/":          "https://a.test/?ticket=t",
		"https://a.test/x?":        "https://a.test/x?ticket=t",
		"https://a.test/x?a=b":     "https://a.test/x?a=b&ticket=t",
		"https://a.test/x?a=b?c&d": "https://a.test/x?a=b?c&d&ticket=t",
	} {
		if got := ticket.Attach(address, "t"); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
