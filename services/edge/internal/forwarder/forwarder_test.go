package forwarder_test

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

	"example.com/hub/services/edge/internal/forwarder"
	"example.com/hub/services/edge/internal/oauth/oauthtest"
)

func TestFormAndBasicCredentialsAreForwarded(t *testing.T) {
	p := newProvider(t)
	f := forward(t, forwarder.Config{}, forwarder.Deps{Issuer: p.URL})
	// Not form-encoded, as some clients send it: for the provider to judge.
	credentials := "Basic " + base64.StdEncoding.EncodeToString([]byte("sap:a%b:c"))
	r := oauthtest.Request(oauthtest.Form("client_id", "", "client_secret", "") + "&resource=https%3A%2F%2Fhub.test&empty=")
	r.Header.Set("Authorization", credentials)
	r.Header.Set("Cookie", "session=1")
	r.Header.Set("X-Forwarded-For", "192.0.2.1")
	f.wantAnswer(t, r, http.StatusOK, goodAnswer)
	f.wantAnswer(t, oauthtest.Request(oauthtest.Form("client_id", "sap/1 ä")), http.StatusOK, goodAnswer)

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
			f := forward(t, forwarder.Config{Scope: tc.setting}, forwarder.Deps{Issuer: p.URL})
			f.wantAnswer(t, oauthtest.Request(oauthtest.Form("scope", tc.asked)), http.StatusOK, goodAnswer)
			if got := p.forms[0].Get("scope"); got != tc.want {
				t.Errorf("scope is %q, want %q", got, tc.want)
			}
		})
	}
}

func TestBadTokenRequestIsNotForwarded(t *testing.T) {
	method := oauthtest.Request(oauthtest.Form())
	method.Method = http.MethodGet
	json := oauthtest.Request(oauthtest.Form())
	json.Header.Set("Content-Type", "application/json")
	query := oauthtest.Request(oauthtest.Form())
	query.URL.RawQuery = "client_secret=x"
	authorization := func(values ...string) *http.Request {
		r := oauthtest.Request(oauthtest.Form())
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
		"over 8 KiB":     {oauthtest.Request(oauthtest.Form("x", strings.Repeat("x", 8<<10))), 413, "invalid_request"},
		"repeated":       {oauthtest.Request(oauthtest.Form() + "&scope=client"), 400, "invalid_request"},
		"no grant type":  {oauthtest.Request(oauthtest.Form("grant_type", "")), 400, "invalid_request"},
		"password grant": {oauthtest.Request(oauthtest.Form("grant_type", "password")), 400, "unsupported_grant_type"},
		"bearer":         {authorization("Bearer x"), 401, "invalid_client"},
		"basic twice":    {authorization("Basic eDp5", "Basic eDp5"), 400, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t)
			w := forward(t, forwarder.Config{}, forwarder.Deps{Issuer: p.URL}).send(t, tc.request)
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
	f := forward(t, forwarder.Config{TokenURL: p.URL + "/oauth2/v2.0/token"}, forwarder.Deps{Issuer: "https://sts.test/"})
	f.wantAnswer(t, oauthtest.Request(oauthtest.Form()), http.StatusOK, goodAnswer)
}

func TestForwarderLogsNoSecret(t *testing.T) {
	p := newProvider(t)
	gone := httptest.NewServer(nil)
	gone.Close()
	f := forward(t, forwarder.Config{}, forwarder.Deps{Issuer: p.URL})
	ask := func(f *forwarding) {
		r := oauthtest.Request(oauthtest.Form("client_id", "canary-1", "client_secret", "canary-2", "client_assertion", "canary-3"))
		f.send(t, oauthtest.Basic(r, "canary-4", "canary-5"))
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
	away := forward(t, forwarder.Config{TokenURL: gone.URL}, forwarder.Deps{})
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
		cfg  forwarder.Config
		want []string
	}{
		"nothing":       {forwarder.Config{}, nil},
		"both":          {forwarder.Config{TokenURL: "https://id.test/token?p=1", Scope: "api://hub/.default"}, nil},
		"two scopes":    {forwarder.Config{Scope: "a b"}, nil},
		"two blanks":    {forwarder.Config{Scope: "a  b"}, []string{"HUB_TOKEN_SCOPE"}},
		"quotes":        {forwarder.Config{Scope: `"a"`}, []string{"HUB_TOKEN_SCOPE"}},
		"relative":      {forwarder.Config{TokenURL: "/token"}, []string{"HUB_TOKEN_URL"}},
		"both at fault": {forwarder.Config{TokenURL: "https://u:p@id.test", Scope: " "}, []string{"HUB_TOKEN_URL", "HUB_TOKEN_SCOPE"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, oauthtest.Named(tc.cfg.Validate())); diff != "" {
				t.Error(diff)
			}
			_, err := forwarder.New(tc.cfg, forwarder.Deps{Issuer: "https://id.test"})
			if !slices.Equal(oauthtest.Named(err), tc.want) {
				t.Errorf("New: %v", err)
			}
		})
	}
	if _, err := forwarder.New(forwarder.Config{}, forwarder.Deps{}); !slices.Equal(oauthtest.Named(err), []string{"HUB_ISSUER_URL"}) {
		t.Errorf("without a provider: %v", err)
	}
}

func TestRefusalsOfTheProviderAreLogged(t *testing.T) {
	for name, tc := range map[string]struct{ answer, code string }{
		"a code":      {`{"error":"invalid_client","error_description":"erp-key"}`, "invalid_client"},
		"other words": {`{"error":"no client has the secret erp-key"}`, ""},
		"no text":     {`{"error":5}`, ""},
		"none":        {`{}`, ""},
		"endless":     {`{"error":"` + strings.Repeat("x", 1000) + `"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t)
			p.answers(reply(http.StatusUnauthorized, "application/json", tc.answer))
			f := forward(t, forwarder.Config{}, forwarder.Deps{Issuer: p.URL})
			f.send(t, oauthtest.Request(oauthtest.Form("client_id", "erp-backend")))
			want := []map[string]any{{
				"level": "INFO", "status": 401.0, "error": tc.code, "description": "the identity provider refused the request", "client_id": "erp-b...",
			}}
			if diff := cmp.Diff(want, f.log.Refusals(t)); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(f.log.String(), "erp-key") {
				t.Errorf("the log is %s", f.log)
			}
		})
	}
}
