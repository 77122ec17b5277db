package token_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/edge/internal/token"
)

func TestFormAndBasicCredentialsAreForwarded(t *testing.T) {
	p := newProvider(t)
	f := forward(t, token.ForwarderConfig{}, token.ForwarderDeps{Issuer: p.URL})
	// Not form-encoded, as some clients send it: for the provider to judge.
	credentials := "Basic " + base64.StdEncoding.EncodeToString([]byte("sap:a%b:c"))
	r := request(form("client_id", "", "client_secret", "") + "&resource=https%3A%2F%2Fhub.test&empty=")
	r.Header.Set("Authorization", credentials)
	r.Header.Set("Cookie", "session=1")
	r.Header.Set("X-Forwarded-For", "192.0.2.1")
	f.wantAnswer(t, r, http.StatusOK, goodAnswer)
	f.wantAnswer(t, request(form("client_id", "sap/1 ä")), http.StatusOK, goodAnswer)

	want := []url.Values{
		{"grant_type": {"client_credentials"}, "scope": {"client"}, "resource": {"https://hub.test"}},
		{"grant_type": {"client_credentials"}, "scope": {"client"}, "client_id": {"sap/1 ä"}, "client_secret": {"erp-key"}},
	}
	if diff := cmp.Diff(want, p.forms); diff != "" {
		t.Error(diff)
	}
	if got := p.heads[0]; got.Get("Authorization") != credentials || got.Get("Accept") != "application/json" {
		t.Errorf("header is %v", got)
	}
	if _, given := p.heads[1]["Authorization"]; given {
		t.Error("credentials were made up")
	}
	for _, name := range []string{"Cookie", "X-Forwarded-For", "Idempotency-Key"} {
		if _, given := p.heads[0][name]; given {
			t.Errorf("%s was forwarded", name)
		}
	}
}

func TestScopeIsMapped(t *testing.T) {
	for name, tc := range map[string]struct{ setting, asked, want string }{
		"no setting":        {"", "client", "client"},
		"no setting, other": {"", "profile", "profile"},
		"client":            {"api://hub/.default", "client", "api://hub/.default"},
		"none asked":        {"api://hub/.default", "", "api://hub/.default"},
		"among others":      {"api://hub/.default", "profile client", "profile api://hub/.default"},
		"other":             {"api://hub/.default", "profile", "profile"},
		"part of a word":    {"api://hub/.default", "clientx", "clientx"},
		"to several":        {"a b", "client", "a b"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t)
			f := forward(t, token.ForwarderConfig{Scope: tc.setting}, token.ForwarderDeps{Issuer: p.URL})
			f.wantAnswer(t, request(form("scope", tc.asked)), http.StatusOK, goodAnswer)
			if got := p.forms[0].Get("scope"); got != tc.want {
				t.Errorf("scope is %q, want %q", got, tc.want)
			}
		})
	}
}

func TestBadTokenRequestIsNotForwarded(t *testing.T) {
	method := request(form())
	method.Method = http.MethodGet
	json := request(form())
	json.Header.Set("Content-Type", "application/json")
	query := request(form())
	query.URL.RawQuery = "client_secret=x"
	authorization := func(values ...string) *http.Request {
		r := request(form())
		r.Header["Authorization"] = values
		return r
	}
	for name, tc := range map[string]struct {
		request *http.Request
		status  int
		code    string
	}{
		"GET":            {method, 405, "invalid_request"},
		"JSON":           {json, 400, "invalid_request"},
		"query":          {query, 400, "invalid_request"},
		"over 8 KiB":     {request(form("x", strings.Repeat("x", 8<<10))), 413, "invalid_request"},
		"repeated":       {request(form() + "&scope=client"), 400, "invalid_request"},
		"no grant type":  {request(form("grant_type", "")), 400, "invalid_request"},
		"password grant": {request(form("grant_type", "password")), 400, "unsupported_grant_type"},
		"bearer":         {authorization("Bearer x"), 401, "invalid_client"},
		"basic twice":    {authorization("Basic eDp5", "Basic eDp5"), 400, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t)
			w := forward(t, token.ForwarderConfig{}, token.ForwarderDeps{Issuer: p.URL}).send(t, tc.request)
			if w.Code != tc.status || !strings.Contains(w.Body.String(), `"error":"`+tc.code+`"`) {
				t.Errorf("answer is %d %s, want %d %s", w.Code, w.Body, tc.status, tc.code)
			}
			if p.asked() != 0 {
				t.Error("the provider was asked")
			}
		})
	}
}

func TestTokenURLNeedsNoDiscovery(t *testing.T) {
	p := newProvider(t)
	f := forward(t, token.ForwarderConfig{TokenURL: p.URL + "/oauth2/v2.0/token"}, token.ForwarderDeps{Issuer: "https://sts.test/"})
	f.wantAnswer(t, request(form()), http.StatusOK, goodAnswer)
}

func TestForwarderLogsNoSecret(t *testing.T) {
	p := newProvider(t)
	gone := httptest.NewServer(nil)
	gone.Close()
	f := forward(t, token.ForwarderConfig{}, token.ForwarderDeps{Issuer: p.URL})
	ask := func(f *forwarding) {
		r := request(form("client_id", "canary-1", "client_secret", "canary-2", "client_assertion", "canary-3"))
		f.send(t, basic(r, "canary-4", "canary-5"))
	}
	for _, answer := range []http.HandlerFunc{
		reply(200, "application/json", `{"access_token":"canary-6"}`),
		reply(400, "application/json", `{"error":"canary-7"}`),
		reply(400, "text/html", "canary-8"),
		reply(500, "text/html", "canary-9"),
		reply(200, "text/html", "canary-10"),
		// What is no HTTP ends up in the error of the client.
		func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			defer conn.Close() //nolint:errcheck // the answer was bad anyway
			_, _ = io.WriteString(conn, r.PostForm.Get("client_secret")+" canary-11\r\n\r\n")
		},
	} {
		p.answers(answer)
		ask(f)
	}
	away := forward(t, token.ForwarderConfig{TokenURL: gone.URL}, token.ForwarderDeps{})
	ask(away)
	got := f.log.String() + away.log.String()
	if strings.Contains(got, "canary") || strings.Contains(got, base64.StdEncoding.EncodeToString([]byte("canary-4"))[:8]) {
		t.Errorf("a secret is in the log: %s", got)
	}
	for _, want := range []string{`"status":200`, `"status":400`, "status 500", "no proper HTTP", "connection refused"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in the log: %s", want, got)
		}
	}
}

func TestForwarderConfigIsChecked(t *testing.T) {
	for name, tc := range map[string]struct {
		cfg  token.ForwarderConfig
		want []string
	}{
		"nothing":       {token.ForwarderConfig{}, nil},
		"both":          {token.ForwarderConfig{TokenURL: "https://id.test/token?p=1", Scope: "api://hub/.default"}, nil},
		"two scopes":    {token.ForwarderConfig{Scope: "a b"}, nil},
		"two blanks":    {token.ForwarderConfig{Scope: "a  b"}, []string{"HUB_TOKEN_SCOPE"}},
		"quotes":        {token.ForwarderConfig{Scope: `"a"`}, []string{"HUB_TOKEN_SCOPE"}},
		"relative":      {token.ForwarderConfig{TokenURL: "/token"}, []string{"HUB_TOKEN_URL"}},
		"both at fault": {token.ForwarderConfig{TokenURL: "https://u:p@id.test", Scope: " "}, []string{"HUB_TOKEN_URL", "HUB_TOKEN_SCOPE"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, namedIn(tc.cfg.Validate())); diff != "" {
				t.Error(diff)
			}
			_, err := token.NewForwarder(tc.cfg, token.ForwarderDeps{Issuer: "https://id.test"})
			if !slices.Equal(namedIn(err), tc.want) {
				t.Errorf("NewForwarder: %v", err)
			}
		})
	}
	if _, err := token.NewForwarder(token.ForwarderConfig{}, token.ForwarderDeps{}); !slices.Equal(namedIn(err), []string{"HUB_ISSUER_URL"}) {
		t.Errorf("without a provider: %v", err)
	}
}
