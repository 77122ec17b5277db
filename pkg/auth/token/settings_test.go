package token_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/auth/token"
	hubconfig "example.com/hub/pkg/config"
	"example.com/hub/pkg/fault"
)

// load reads settings as a binary does.
func load(t *testing.T, environ ...string) token.Settings {
	t.Helper()
	var s token.Settings
	if err := hubconfig.Load(&s, environ); err != nil {
		t.Fatal(err)
	}
	return s
}

// lasting makes claims valid at the real time.
func lasting(claims object) object {
	at := time.Now().Unix()
	out := object{"iat": at, "nbf": at, "exp": at + 3600}
	maps.Copy(out, claims)
	return out
}

func TestSettingsNameAllFaults(t *testing.T) {
	for name, tc := range map[string]struct {
		environ []string
		want    []string
	}{
		"own issuer":         {[]string{"HUB_PUBLIC_URL=https://hub.test"}, nil},
		"own with a path":    {[]string{"HUB_PUBLIC_URL=http://hub.test:8080/base"}, nil},
		"outside":            {[]string{"HUB_ISSUER_URL=https://id.test/realms/acme"}, nil},
		"outside with slash": {[]string{"HUB_ISSUER_URL=https://id.test/"}, nil},
		"both":               {[]string{"HUB_ISSUER_URL=https://id.test", "HUB_PUBLIC_URL=https://hub.test"}, nil},
		"address of keys":    {[]string{"HUB_PUBLIC_URL=https://hub.test", "HUB_JWKS_URL=http://edge:8080/keys?v=2"}, nil},
		"nothing":            {nil, []string{"HUB_PUBLIC_URL: must not be empty without HUB_ISSUER_URL"}},
		"slash":              {[]string{"HUB_PUBLIC_URL=https://hub.test/"}, []string{"HUB_PUBLIC_URL: must not end with a slash"}},
		"query":              {[]string{"HUB_ISSUER_URL=https://id.test?"}, []string{"HUB_ISSUER_URL: must have no query"}},
		"fragment":           {[]string{"HUB_ISSUER_URL=https://id.test#"}, []string{"HUB_ISSUER_URL: must have no user and no fragment"}},
		"user":               {[]string{"HUB_ISSUER_URL=https://u:p@id.test"}, []string{"HUB_ISSUER_URL: must have no user and no fragment"}},
		"no scheme":          {[]string{"HUB_ISSUER_URL=id.test"}, []string{`HUB_ISSUER_URL: must be an http or https URL, not "id.test"`}},
		"other scheme":       {[]string{"HUB_ISSUER_URL=ftp://id.test"}, []string{`HUB_ISSUER_URL: must be an http or https URL, not "ftp://id.test"`}},
		"no host":            {[]string{"HUB_ISSUER_URL=https://:443"}, []string{`HUB_ISSUER_URL: must be an http or https URL, not "https://:443"`}},
		"everything": {
			[]string{"HUB_ISSUER_URL=x", "HUB_JWKS_URL=/keys", "HUB_CLIENT_ID_CLAIMS=client_id, azp", "HUB_SCOPE_CLAIMS=scope,"},
			[]string{
				`HUB_ISSUER_URL: must be an http or https URL, not "x"`,
				`HUB_JWKS_URL: must be an http or https URL, not "/keys"`,
				"HUB_CLIENT_ID_CLAIMS: must be names without blanks, with a comma between them",
				"HUB_SCOPE_CLAIMS: must be names without blanks, with a comma between them",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var s token.Settings
			var got []string
			if err := errors.Join(hubconfig.Load(&s, tc.environ), s.NeedIssuer()); err != nil {
				got = strings.Split(err.Error(), "\n")
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// serve answers with a handler until the end of the test.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// lineSignal is a log that tells of its first line.
type lineSignal chan struct{}

func (s lineSignal) Write(line []byte) (int, error) {
	select {
	case s <- struct{}{}:
	default:
	}
	return len(line), nil
}

// keySet is the document of the own key.
func keySet(t *testing.T) []byte {
	t.Helper()
	return must(json.Marshal(jose.JSONWebKeySet{Keys: ownKeys()}))
}

// openSettings opens settings and waits for the end of the first fetch.
func openSettings(t *testing.T, environ ...string) (auth.Verifier, *keys.Remote) {
	t.Helper()
	lines := make(lineSignal, 1)
	v, set := load(t, environ...).Open(slog.New(slog.NewTextHandler(lines, nil)))
	t.Cleanup(set.Close)
	<-lines
	return v, set
}

func TestOwnIssuerNeedsTypeAndAudience(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/base/.well-known/jwks.json" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(keySet(t))
	}) + "/base"
	hub, _ := openSettings(t, "HUB_PUBLIC_URL="+address)
	crm, _ := openSettings(t, "HUB_PUBLIC_URL="+address, "HUB_AUDIENCE=crm")
	own := object{"iss": address}
	for name, tc := range map[string]struct {
		header, claims object
		hub, crm       bool
	}{
		"own token":     {nil, own, true, false},
		"other aud":     {nil, object{"iss": address, "aud": "crm"}, false, true},
		"no aud":        {nil, object{"iss": address, "aud": nil}, false, false},
		"typ JWT":       {object{"typ": "JWT"}, own, false, false},
		"no typ":        {object{"typ": nil}, own, false, false},
		"another's iss": {nil, object{"iss": "https://id.test"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			raw := signed(tc.header, lasting(tc.claims))
			if _, err := hub.Verify(t.Context(), raw); (err == nil) != tc.hub {
				t.Errorf("for hub: %v, want it to pass: %v", err, tc.hub)
			}
			if _, err := crm.Verify(t.Context(), raw); (err == nil) != tc.crm {
				t.Errorf("for crm: %v, want it to pass: %v", err, tc.crm)
			}
		})
	}
}

func TestKeysOfTheOwnIssuerMayComeFromElsewhere(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(keySet(t))
	})
	v, _ := openSettings(t, "HUB_PUBLIC_URL=https://hub.test", "HUB_JWKS_URL="+address)
	if _, err := v.Verify(t.Context(), signed(nil, lasting(object{"iss": "https://hub.test"}))); err != nil {
		t.Error(err)
	}
}

func TestKeysOfAnOutsideProviderAreDiscovered(t *testing.T) {
	var address string
	address = serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/realms/acme/.well-known/openid-configuration":
			_, _ = fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, address+"/realms/acme", address+"/certs")
		case "/certs":
			_, _ = w.Write(keySet(t))
		default:
			http.NotFound(w, r)
		}
	})
	// The public URL does not matter then.
	v, _ := openSettings(t, "HUB_ISSUER_URL="+address+"/realms/acme", "HUB_PUBLIC_URL=https://hub.test")
	raw := signed(object{"typ": "JWT"}, lasting(object{"iss": address + "/realms/acme", "aud": nil}))
	if _, err := v.Verify(t.Context(), raw); err != nil {
		t.Error(err)
	}
	if _, err := v.Verify(t.Context(), signed(nil, lasting(object{"iss": "https://hub.test"}))); err == nil {
		t.Error("a token of the public URL is accepted")
	}
}

func TestOpenDoesNotWaitForTheIssuer(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	v, set := openSettings(t, "HUB_ISSUER_URL="+gone.URL)
	if err := set.Ready(t.Context()); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Ready is %v, want a fault of kind Unavailable", err)
	}
	_, err := v.Verify(t.Context(), signed(nil, lasting(object{"iss": gone.URL})))
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("error is %v, want a fault of kind Unavailable", err)
	}
}
