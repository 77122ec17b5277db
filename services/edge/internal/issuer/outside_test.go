package issuer_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/config"
	"example.com/hub/pkg/fault"
	"example.com/hub/services/edge/internal/forwarder"
	"example.com/hub/services/edge/internal/issuer"
	"example.com/hub/services/edge/internal/oauth/oauthtest"
)

// outside is Hub's own issuer in the part of an outside provider: on a server of its own, under a
// path, with its token endpoint behind the same address.
type outside struct {
	*bench
	server *httptest.Server
}

const realm = "/realms/acme"

func newOutside(t *testing.T) *outside {
	t.Helper()
	mux := http.NewServeMux()
	o := &outside{bench: prepare(t), server: httptest.NewServer(mux)}
	t.Cleanup(o.server.Close)
	o.cfg.PublicURL, o.cfg.Audience = o.server.URL+realm, "crm"
	// Tokens are checked at the real time; the test may be some seconds ahead of it, within the leeway.
	o.now = time.Now()
	o.open(t)
	mux.HandleFunc(realm+issuer.PathToken, o.ServeToken)
	mux.HandleFunc(realm+issuer.PathKeys, o.ServeKeys)
	mux.HandleFunc(realm+issuer.PathDiscovery, o.ServeDiscovery)
	return o
}

// site is a Hub that accepts the provider's tokens: an edge's token path on a server of its own, and
// the verification of an edge or a hub.
type site struct {
	address  string
	verifier auth.Verifier
	keys     *keys.Remote
}

// forward makes a forwarder to a provider.
func forward(t *testing.T, cfg forwarder.Config, provider string) *forwarder.Forwarder {
	t.Helper()
	f, err := forwarder.New(cfg, forwarder.Deps{Issuer: provider, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

func newSite(t *testing.T, environ ...string) *site {
	t.Helper()
	var cfg struct {
		Auth      token.Settings
		Forwarder forwarder.Config
	}
	if err := config.Load(&cfg, environ); err != nil {
		t.Fatal(err)
	}
	f := forward(t, cfg.Forwarder, cfg.Auth.IssuerURL)
	edge := httptest.NewServer(http.HandlerFunc(f.ServeToken))
	t.Cleanup(edge.Close)
	s := &site{address: edge.URL}
	s.verifier, s.keys = cfg.Auth.Open(slog.New(slog.DiscardHandler))
	t.Cleanup(s.keys.Close)
	return s
}

// ask gets an answer of the token path over HTTP.
func (s *site) ask(t *testing.T) (status int, a oauthtest.Answer) {
	t.Helper()
	r := oauthtest.Request(oauthtest.Form())
	out, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.address+issuer.PathToken, r.Body)
	if err != nil {
		t.Fatal(err)
	}
	out.Header = r.Header
	resp, err := http.DefaultClient.Do(out)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing was written
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatalf("answer %q: %v", body, err)
	}
	return resp.StatusCode, a
}

func (s *site) token(t *testing.T) string {
	t.Helper()
	status, a := s.ask(t)
	if status != http.StatusOK {
		t.Fatalf("status is %d with %+v", status, a)
	}
	return a.AccessToken
}

// ready waits for the keys.
func (s *site) ready(t *testing.T) {
	t.Helper()
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for s.keys.Ready(t.Context()) != nil {
		select {
		case <-poll.C:
		case <-t.Context().Done():
			t.Fatal("the keys do not come")
		}
	}
}

func (s *site) wantPass(t *testing.T, raw string) {
	t.Helper()
	caller, err := s.verifier.Verify(t.Context(), raw)
	if err != nil || caller.Client != "erp" || !caller.HasScope(auth.ScopeClient) {
		t.Errorf("caller is %+v, %v", caller, err)
	}
}

func TestTokensOfAnOutsideProvider(t *testing.T) {
	o := newOutside(t)
	s := newSite(t, "HUB_ISSUER_URL="+o.cfg.PublicURL, "HUB_AUDIENCE=crm")
	s.ready(t)
	s.wantPass(t, s.token(t))

	t.Run("are refused for another audience", func(t *testing.T) {
		other := newSite(t, "HUB_ISSUER_URL="+o.cfg.PublicURL, "HUB_AUDIENCE=hub")
		other.ready(t)
		if _, err := other.verifier.Verify(t.Context(), s.token(t)); fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("error is %v, want a fault of kind Unauthenticated", err)
		}
	})
	t.Run("of another one are refused", func(t *testing.T) {
		if _, err := s.verifier.Verify(t.Context(), newOutside(t).get(t)); fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("error is %v, want a fault of kind Unauthenticated", err)
		}
	})
	t.Run("survive a change of its key", func(t *testing.T) {
		before := s.token(t)
		write(t, o.cfg.SigningKeysFile, append(pkcs8(secondKey()), pkcs8(firstKey())...))
		o.advance(5 * time.Second)
		after := s.token(t)
		if kidOf(t, before) == kidOf(t, after) {
			t.Fatal("the key has not changed")
		}
		s.wantPass(t, after)
		s.wantPass(t, before)
	})
	t.Run("survive an outage of it", func(t *testing.T) {
		raw := s.token(t)
		o.server.Close()
		s.wantPass(t, raw)
		if status, a := s.ask(t); status != http.StatusServiceUnavailable || a.Error != "temporarily_unavailable" {
			t.Errorf("token path answers %d with %+v", status, a)
		}
		if err := s.keys.Ready(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestWrongSecretIsRefusedByTheProvider(t *testing.T) {
	o := newOutside(t)
	w := httptest.NewRecorder()
	forward(t, forwarder.Config{}, o.cfg.PublicURL).ServeToken(w, oauthtest.Request(oauthtest.Form("client_secret", "x")))
	direct, _ := o.ask(t, oauthtest.Request(oauthtest.Form("client_secret", "x")))
	if w.Code != http.StatusUnauthorized || w.Body.String() != direct.Body.String() {
		t.Errorf("answer is %d %s, want that of the provider, %s", w.Code, w.Body, direct.Body)
	}
}

func TestScopeIsMappedForAnOutsideProvider(t *testing.T) {
	o := newOutside(t)
	s := newSite(t, "HUB_ISSUER_URL="+o.cfg.PublicURL, "HUB_TOKEN_SCOPE=profile client")
	if status, a := s.ask(t); status != http.StatusOK || a.Scope != "profile client" {
		t.Errorf("answer is %d with scope %q", status, a.Scope)
	}
}

func TestHubStartsBeforeItsProvider(t *testing.T) {
	o := newOutside(t)
	away := true
	handler := o.server.Config.Handler
	o.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		gone := away
		o.mu.Unlock()
		if gone {
			panic(http.ErrAbortHandler)
		}
		handler.ServeHTTP(w, r)
	})
	s := newSite(t, "HUB_ISSUER_URL="+o.cfg.PublicURL)
	if _, err := s.verifier.Verify(t.Context(), o.get(t)); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("error is %v, want a fault of kind Unavailable", err)
	}
	if status, _ := s.ask(t); status != http.StatusServiceUnavailable {
		t.Errorf("token path answers %d", status)
	}
	o.mu.Lock()
	away = false
	o.mu.Unlock()
	s.ready(t)
	s.wantPass(t, o.get(t))
}
