package issuer_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/auth/token"
	"example.com/hub/services/edge/internal/issuer"
	"example.com/hub/services/edge/internal/oauth/oauthtest"
)

// serve makes an issuer behind a real server, with the server's address as its public URL and the
// real time.
func serve(t *testing.T) *bench {
	t.Helper()
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	b := prepare(t)
	b.cfg.PublicURL = s.URL
	b.deps.Clock = nil
	b.open(t)
	mux.HandleFunc(issuer.PathToken, b.ServeToken)
	mux.HandleFunc(issuer.PathKeys, b.ServeKeys)
	mux.HandleFunc(issuer.PathDiscovery, b.ServeDiscovery)
	mux.HandleFunc(issuer.PathMetadata, b.ServeDiscovery)
	return b
}

func TestStrangersVerifyTokensByDiscovery(t *testing.T) {
	b := serve(t)
	raw := b.get(t)

	t.Run("go-oidc", func(t *testing.T) {
		provider, err := oidc.NewProvider(t.Context(), b.cfg.PublicURL)
		if err != nil {
			t.Fatal(err)
		}
		if got := provider.Endpoint().TokenURL; got != b.cfg.PublicURL+issuer.PathToken {
			t.Errorf("token endpoint is %s", got)
		}
		got, err := provider.Verifier(&oidc.Config{ClientID: "hub"}).Verify(t.Context(), raw)
		if err != nil {
			t.Fatal(err)
		}
		if got.Subject != "erp" {
			t.Errorf("subject is %q", got.Subject)
		}
		if _, err := provider.Verifier(&oidc.Config{ClientID: "other"}).Verify(t.Context(), raw); err == nil {
			t.Error("another audience accepts the token")
		}
	})

	t.Run("a hub", func(t *testing.T) {
		keys := keys.NewRemote(keys.Config{Issuer: b.cfg.PublicURL})
		defer keys.Close()
		v := token.New(token.Config{
			Issuer: b.cfg.PublicURL, Audience: "hub", RequireType: token.TypeAccess, Keys: keys,
		})
		poll := time.NewTicker(time.Millisecond)
		defer poll.Stop()
		for keys.Ready(t.Context()) != nil {
			select {
			case <-poll.C:
			case <-t.Context().Done():
				t.Fatal("the keys do not come")
			}
		}
		got, err := v.Verify(t.Context(), raw)
		if err != nil || got.Client != "erp" || !got.HasScope(auth.ScopeClient) {
			t.Errorf("caller is %+v, %v", got, err)
		}
	})
}

func TestDocuments(t *testing.T) {
	b := serve(t)
	for path, want := range map[string]string{
		issuer.PathKeys:      `"alg":"RS256"`,
		issuer.PathDiscovery: `"issuer":"` + b.cfg.PublicURL + `"`,
		issuer.PathMetadata:  `"jwks_uri":"` + b.cfg.PublicURL + issuer.PathKeys + `"`,
	} {
		t.Run(path, func(t *testing.T) {
			status, header, body := send(t, http.MethodGet, b.cfg.PublicURL+path)
			if status != http.StatusOK || header.Get("Content-Type") != "application/json" ||
				header.Get("Cache-Control") != "public, max-age=300" {
				t.Errorf("status is %d, header %v", status, header)
			}
			if !strings.Contains(body, want) {
				t.Errorf("document is %s, want %s in it", body, want)
			}
			// Not one of the members of a private key (RFC 7518 section 6.3.2).
			for _, private := range []string{`"d"`, `"p"`, `"q"`, `"dp"`, `"dq"`, `"qi"`} {
				if strings.Contains(body, private) {
					t.Errorf("the document has %s", private)
				}
			}
			status, header, _ = send(t, http.MethodPost, b.cfg.PublicURL+path)
			if status != http.StatusMethodNotAllowed || header.Get("Allow") != "GET, HEAD" {
				t.Errorf("POST is answered with %d, Allow %q", status, header.Get("Allow"))
			}
		})
	}
}

func send(t *testing.T, method, address string) (status int, header http.Header, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing was written
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(content)
}

func TestConfigIsChecked(t *testing.T) {
	good := issuer.Config{PublicURL: publicURL, Audience: "hub", Lifetime: time.Hour}
	for name, tc := range map[string]struct {
		change func(*issuer.Config)
		want   []string // settings that are named, in order
	}{
		"good":            {func(*issuer.Config) {}, nil},
		"with a path":     {func(c *issuer.Config) { c.PublicURL = "http://hub.test:8080/base" }, nil},
		"to be derived":   {func(c *issuer.Config) { c.PublicURL = "" }, nil},
		"shortest":        {func(c *issuer.Config) { c.Lifetime = time.Minute }, nil},
		"longest":         {func(c *issuer.Config) { c.Lifetime = 24 * time.Hour }, nil},
		"too short":       {func(c *issuer.Config) { c.Lifetime = time.Minute - 1 }, []string{"HUB_TOKEN_LIFETIME"}},
		"too long":        {func(c *issuer.Config) { c.Lifetime = 24*time.Hour + 1 }, []string{"HUB_TOKEN_LIFETIME"}},
		"no audience":     {func(c *issuer.Config) { c.Audience = "" }, nil},
		"slash":           {func(c *issuer.Config) { c.PublicURL += "/" }, []string{"HUB_PUBLIC_URL"}},
		"query":           {func(c *issuer.Config) { c.PublicURL += "?x" }, []string{"HUB_PUBLIC_URL"}},
		"fragment":        {func(c *issuer.Config) { c.PublicURL += "#x" }, []string{"HUB_PUBLIC_URL"}},
		"user":            {func(c *issuer.Config) { c.PublicURL = "https://u:p@hub.test" }, []string{"HUB_PUBLIC_URL"}},
		"no scheme":       {func(c *issuer.Config) { c.PublicURL = "hub.test" }, []string{"HUB_PUBLIC_URL"}},
		"other scheme":    {func(c *issuer.Config) { c.PublicURL = "ftp://hub.test" }, []string{"HUB_PUBLIC_URL"}},
		"no URL":          {func(c *issuer.Config) { c.PublicURL = "https://hub .test" }, []string{"HUB_PUBLIC_URL"}},
		"everything":      {func(c *issuer.Config) { *c = issuer.Config{PublicURL: "x"} }, []string{"HUB_PUBLIC_URL", "HUB_TOKEN_LIFETIME"}},
		"no host":         {func(c *issuer.Config) { c.PublicURL = "https:///x" }, []string{"HUB_PUBLIC_URL"}},
		"lifetime absent": {func(c *issuer.Config) { c.Lifetime = 0 }, []string{"HUB_TOKEN_LIFETIME"}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := good
			tc.change(&cfg)
			named := oauthtest.Named(cfg.Validate())
			if diff := cmp.Diff(tc.want, named); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("Open needs a public URL", func(t *testing.T) {
		b := prepare(t)
		b.cfg.PublicURL = ""
		wantOpenError(t, b, "HUB_PUBLIC_URL")
	})
}

func TestAudienceIsHubUnlessNamed(t *testing.T) {
	for audience, want := range map[string]string{"": token.DefaultAudience, "crm": "crm"} {
		b := prepare(t)
		b.cfg.Audience = audience
		b.open(t)
		if got := b.Audience(); got != want {
			t.Errorf("audience of %q is %q, want %q", audience, got, want)
		}
		if _, err := b.verifier().Verify(t.Context(), b.get(t)); err != nil {
			t.Errorf("its token is refused: %v", err)
		}
	}
}
