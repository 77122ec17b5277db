package issuer_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/clients"
	"example.com/hub/services/edge/internal/oauth/oauthtest"
)

func TestTokenIsIssued(t *testing.T) {
	anonymous := []string{"client_id", "", "client_secret", ""}
	for name, tc := range map[string]struct {
		request *http.Request
		client  string
		scope   string
	}{
		"contract":                  {oauthtest.Request(oauthtest.Form()), "erp", "client"},
		"all scopes when none":      {oauthtest.Request(oauthtest.Form("scope", "")), "erp", "client profile"},
		"scopes in the asked order": {oauthtest.Request(oauthtest.Form("scope", "profile client")), "erp", "profile client"},
		"scope repeated":            {oauthtest.Request(oauthtest.Form("scope", " client  client ")), "erp", "client"},
		"unknown parameter":         {oauthtest.Request(oauthtest.Form("resource", "x")), "erp", "client"},
		"old secret":                {oauthtest.Request(oauthtest.Form("client_id", "limited", "client_secret", "old-key", "scope", "")), "limited", "profile"},
		"new secret":                {oauthtest.Request(oauthtest.Form("client_id", "limited", "client_secret", "new-key", "scope", "")), "limited", "profile"},
		"odd characters":            {oauthtest.Request(oauthtest.Form("client_id", "sap/1 ä", "client_secret", "a:b%c+d")), "sap/1 ä", "client"},
		"basic":                     {oauthtest.Basic(oauthtest.Request(oauthtest.Form(anonymous...)), "erp", "erp-key"), "erp", "client"},
		"basic with the id again":   {oauthtest.Basic(oauthtest.Request(oauthtest.Form("client_secret", "")), "erp", "erp-key"), "erp", "client"},
		"basic, odd characters":     {oauthtest.Basic(oauthtest.Request(oauthtest.Form(anonymous...)), "sap/1 ä", "a:b%c+d"), "sap/1 ä", "client"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			got := b.wantStatus(t, tc.request, http.StatusOK)
			want := oauthtest.Answer{TokenType: "Bearer", ExpiresIn: 3600, Scope: tc.scope}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(oauthtest.Answer{}, "AccessToken")); diff != "" {
				t.Error(diff)
			}
			caller, err := b.verifier().Verify(t.Context(), got.AccessToken)
			if err != nil {
				t.Fatal(err)
			}
			wantCaller := auth.Principal{Client: tc.client, Scopes: strings.Fields(tc.scope), Expires: b.now.Add(time.Hour)}
			if diff := cmp.Diff(wantCaller, caller, cmpopts.IgnoreFields(auth.Principal{}, "TokenID"), cmpopts.EquateApproxTime(0)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTokenIsAnRFC9068AccessToken(t *testing.T) {
	b := newBench(t)
	parsed, err := jose.ParseSignedCompact(b.get(t), []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		t.Fatal(err)
	}
	header := parsed.Signatures[0].Protected
	if header.Algorithm != "RS256" || header.ExtraHeaders["typ"] != "at+jwt" || header.KeyID != b.Keys()[0].KeyID {
		t.Errorf("header is %+v", header)
	}
	payload, err := parsed.Verify(firstKey().Public())
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(payload, &got); err != nil {
		t.Fatal(err)
	}
	if jti, _ := got["jti"].(string); len(jti) < 22 {
		t.Errorf("jti %q has less than 128 bits", jti)
	}
	delete(got, "jti")
	want := map[string]any{
		"iss": publicURL, "aud": "hub", "sub": "erp", "client_id": "erp", "scope": "client",
		"iat": float64(b.now.Unix()), "exp": float64(b.now.Add(time.Hour).Unix()),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if one, other := b.get(t), b.get(t); one == other {
		t.Error("two tokens are the same")
	}
}

func TestTokenRequestIsRefused(t *testing.T) {
	method := func(m string) *http.Request {
		r := oauthtest.Request(oauthtest.Form())
		r.Method = m
		return r
	}
	contentType := func(v string) *http.Request {
		r := oauthtest.Request(oauthtest.Form())
		r.Header.Set("Content-Type", v)
		return r
	}
	query := func(q string) *http.Request {
		r := oauthtest.Request(oauthtest.Form())
		r.URL.RawQuery = q
		return r
	}
	authorization := func(values ...string) *http.Request {
		r := oauthtest.Request(oauthtest.Form("client_id", "", "client_secret", ""))
		r.Header["Authorization"] = values
		return r
	}
	encoded := func(s string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(s)) }
	broken := oauthtest.Request("")
	broken.Body = io.NopCloser(io.MultiReader(strings.NewReader(oauthtest.Form()), brokenReader{}))

	for name, tc := range map[string]struct {
		request *http.Request
		status  int
		code    string
	}{
		"GET":                        {method(http.MethodGet), 405, "invalid_request"},
		"PUT":                        {method(http.MethodPut), 405, "invalid_request"},
		"JSON":                       {contentType("application/json"), 400, "invalid_request"},
		"no content type":            {contentType(""), 400, "invalid_request"},
		"multipart":                  {contentType("multipart/form-data; boundary=x"), 400, "invalid_request"},
		"secret in the query":        {query("client_secret=erp-key"), 400, "invalid_request"},
		"grant type in the query":    {query("grant_type=client_credentials"), 400, "invalid_request"},
		"huge":                       {oauthtest.Request(oauthtest.Form("x", strings.Repeat("x", 9000))), 413, "invalid_request"},
		"body breaks off":            {broken, 400, "invalid_request"},
		"not a form":                 {oauthtest.Request("%zz"), 400, "invalid_request"},
		"semicolons":                 {oauthtest.Request("grant_type=client_credentials;client_id=erp"), 400, "invalid_request"},
		"not UTF-8":                  {oauthtest.Request(oauthtest.Form() + "&x=%ff"), 400, "invalid_request"},
		"grant type repeated":        {oauthtest.Request(oauthtest.Form() + "&grant_type=client_credentials"), 400, "invalid_request"},
		"scope repeated":             {oauthtest.Request(oauthtest.Form() + "&scope=client"), 400, "invalid_request"},
		"other parameter repeated":   {oauthtest.Request(oauthtest.Form() + "&x=1&x=2"), 400, "invalid_request"},
		"nothing":                    {oauthtest.Request(""), 400, "invalid_request"},
		"no grant type":              {oauthtest.Request(oauthtest.Form("grant_type", "")), 400, "invalid_request"},
		"no client id":               {oauthtest.Request(oauthtest.Form("client_id", "")), 400, "invalid_request"},
		"no secret":                  {oauthtest.Request(oauthtest.Form("client_secret", "")), 400, "invalid_request"},
		"password grant":             {oauthtest.Request(oauthtest.Form("grant_type", "password")), 400, "unsupported_grant_type"},
		"grant type in other case":   {oauthtest.Request(oauthtest.Form("grant_type", "Client_Credentials")), 400, "unsupported_grant_type"},
		"wrong secret":               {oauthtest.Request(oauthtest.Form("client_secret", "erp-kez")), 401, "invalid_client"},
		"sum as the secret":          {oauthtest.Request(oauthtest.Form("client_secret", sumOf("erp-key"))), 401, "invalid_client"},
		"unknown client":             {oauthtest.Request(oauthtest.Form("client_id", "hr")), 401, "invalid_client"},
		"client in other case":       {oauthtest.Request(oauthtest.Form("client_id", "ERP")), 401, "invalid_client"},
		"secret of another":          {oauthtest.Request(oauthtest.Form("client_id", "limited")), 401, "invalid_client"},
		"unreadable client id":       {oauthtest.Request(oauthtest.Form("client_id", "erp\n")), 401, "invalid_client"},
		"wrong secret by basic":      {authorization(encoded("erp:x")), 401, "invalid_client"},
		"bearer":                     {authorization("Bearer x"), 401, "invalid_client"},
		"basic without colon":        {authorization(encoded("erp")), 401, "invalid_client"},
		"basic without secret":       {authorization(encoded("erp:")), 400, "invalid_request"},
		"basic without id":           {authorization(encoded(":erp-key")), 400, "invalid_request"},
		"basic not form-encoded":     {authorization(encoded("erp:%zz")), 400, "invalid_request"},
		"id not form-encoded":        {authorization(encoded("%zz:x")), 400, "invalid_request"},
		"basic twice":                {authorization(encoded("erp:erp-key"), encoded("erp:erp-key")), 400, "invalid_request"},
		"basic and secret":           {oauthtest.Basic(oauthtest.Request(oauthtest.Form()), "erp", "erp-key"), 400, "invalid_request"},
		"basic and another id":       {oauthtest.Basic(oauthtest.Request(oauthtest.Form("client_id", "hr", "client_secret", "")), "erp", "erp-key"), 400, "invalid_request"},
		"scope of others":            {oauthtest.Request(oauthtest.Form("client_id", "limited", "client_secret", "new-key")), 400, "invalid_scope"},
		"unknown scope":              {oauthtest.Request(oauthtest.Form("scope", "admin")), 400, "invalid_scope"},
		"one unknown scope of two":   {oauthtest.Request(oauthtest.Form("scope", "client admin")), 400, "invalid_scope"},
		"scope in other case":        {oauthtest.Request(oauthtest.Form("scope", "CLIENT")), 400, "invalid_scope"},
		"scopes with a comma":        {oauthtest.Request(oauthtest.Form("scope", "client,profile")), 400, "invalid_scope"},
		"scope with a line end":      {oauthtest.Request(oauthtest.Form("scope", "client\n")), 400, "invalid_scope"},
		"wrong secret, unknown both": {oauthtest.Request(oauthtest.Form("client_id", "hr", "scope", "admin")), 401, "invalid_client"},
	} {
		t.Run(name, func(t *testing.T) {
			w, got := newBench(t).ask(t, tc.request)
			if w.Code != tc.status || got.Error != tc.code || got.Description == "" {
				t.Errorf("answer is %d %+v, want %d %s", w.Code, got, tc.status, tc.code)
			}
			// RFC 6749 section 5.2 asks for a challenge where the client tried a header.
			challenged := tc.status == 401 && tc.request.Header.Get("Authorization") != ""
			if challenge := w.Header()["Www-Authenticate"]; challenged != (len(challenge) == 1 && strings.HasPrefix(challenge[0], "Basic ")) || !challenged && challenge != nil {
				t.Errorf("challenge is %q", challenge)
			}
			if allow := w.Header().Get("Allow"); (tc.status == 405) != (allow == "POST") {
				t.Errorf("Allow is %q", allow)
			}
		})
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestUnknownClientIsAnsweredLikeAWrongSecret(t *testing.T) {
	b := newBench(t)
	known := b.wantStatus(t, oauthtest.Request(oauthtest.Form("client_secret", "x")), http.StatusUnauthorized)
	unknown := b.wantStatus(t, oauthtest.Request(oauthtest.Form("client_id", "hr")), http.StatusUnauthorized)
	if diff := cmp.Diff(known, unknown); diff != "" {
		t.Error(diff)
	}
}

func TestNewSecretIsLongAndAccepted(t *testing.T) {
	client, secret, err := clients.New("erp", []string{"client"})
	if _, other, _ := clients.New("erp", []string{"client"}); err != nil || other == secret || len(secret) < 43 {
		t.Errorf("secrets are %q and %q, %v", secret, other, err)
	}
	b := prepare(t)
	write(t, b.cfg.ClientsFile, []byte(`{"clients":[{"id":"erp","secret_sha256":"`+client.SecretSHA256[0]+`","scopes":["client"]}]}`))
	b.open(t).wantStatus(t, oauthtest.Request(oauthtest.Form("client_secret", secret)), http.StatusOK)
}
