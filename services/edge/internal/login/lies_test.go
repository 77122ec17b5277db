package login_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

func unsigned(header, claims map[string]any) string {
	part := func(v any) string { return base64.RawURLEncoding.EncodeToString(must(json.Marshal(v))) }
	return part(header) + "." + part(claims) + "."
}

// TestLies has a provider that breaks one rule at a time.
func TestLies(t *testing.T) {
	claim := func(name string, value any) func(*liar) {
		return func(l *liar) { l.claims = func(c map[string]any) { c[name] = value } }
	}
	token := func(f func(right string, claims map[string]any) any) func(*liar) {
		return func(l *liar) { l.idToken = f }
	}
	brings := func(name string, values ...string) func(*liar) {
		return func(l *liar) { l.answer = func(q url.Values) { q[name] = values } }
	}
	answers := func(status int, contentType, body string) func(*liar) {
		return func(l *liar) {
			l.token = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", contentType)
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(status)
				_, _ = w.Write([]byte(body))
			}
		}
	}
	const json400 = `{"error":"invalid_grant"}`
	ago, soon := time.Now().Add(-2*time.Minute).Unix(), time.Now().Add(2*time.Minute).Unix()
	for name, tt := range map[string]struct {
		lie  func(*liar)
		want int
	}{
		"forged":                   {token(func(_ string, c map[string]any) any { return sign(wrongKey(), "JWT", c) }), 400},
		"alg none":                 {token(func(_ string, c map[string]any) any { return unsigned(map[string]any{"alg": "none", "kid": "k1"}, c) }), 400},
		"alg HS256":                {token(hmacSigned), 400},
		"no signature":             {token(func(right string, _ map[string]any) any { return right[:strings.LastIndex(right, ".")+1] }), 400},
		"one byte changed":         {token(changed), 400},
		"access token":             {token(func(_ string, c map[string]any) any { return sign(rightKey(), "at+jwt", without(c, "nonce")) }), 400},
		"logout token":             {token(func(_ string, c map[string]any) any { return sign(rightKey(), "logout+jwt", c) }), 400},
		"no ID token":              {token(func(string, map[string]any) any { return nil }), 400},
		"ID token that is a list":  {token(func(string, map[string]any) any { return []string{"x"} }), 400},
		"huge ID token":            {token(func(string, map[string]any) any { return strings.Repeat("a", 64<<10) }), 400},
		"expired":                  {claim("exp", ago), 400},
		"no exp":                   {claim("exp", nil), 400},
		"exp that is text":         {claim("exp", "soon"), 400},
		"not yet good":             {claim("nbf", soon), 400},
		"made in the future":       {claim("iat", soon), 400},
		"no iat":                   {claim("iat", nil), 400},
		"another audience":         {claim("aud", "erp"), 400},
		"audience of another case": {claim("aud", "Portal"), 400},
		"no audience":              {claim("aud", nil), 400},
		"two audiences, no azp":    {claim("aud", []string{clientID, "erp"}), 400},
		"another azp":              {claim("azp", "erp"), 400},
		"azp that is no text":      {claim("azp", 1), 400},
		"another nonce":            {claim("nonce", "n"), 400},
		"no nonce":                 {claim("nonce", nil), 400},
		"another issuer":           {claim("iss", "https://id.test"), 400},
		"no issuer":                {claim("iss", nil), 400},
		"no subject":               {claim("sub", nil), 400},
		"empty subject":            {claim("sub", ""), 400},
		"long subject":             {claim("sub", strings.Repeat("s", 256)), 400},
		"no username":              {claim("preferred_username", nil), 400},
		"empty username":           {claim("preferred_username", ""), 400},
		"username that is a list":  {claim("preferred_username", []string{"amy"}), 400},
		"long username":            {claim("preferred_username", strings.Repeat("a", 129)), 400},
		"username with a line end": {claim("preferred_username", "amy\n"), 400},

		"another state":    {brings("state", "x"), 400},
		"no state":         {brings("state"), 400},
		"two states":       {func(l *liar) { l.answer = func(q url.Values) { q["state"] = append(q["state"], q["state"]...) } }, 400},
		"iss of another":   {brings("iss", "https://id.test"), 400},
		"iss with a slash": {func(l *liar) { l.answer = func(q url.Values) { q["iss"][0] += "/" } }, 400},
		"no iss":           {brings("iss"), 400},
		"no code":          {brings("code"), 400},
		"two codes":        {brings("code", "a", "b"), 400},
		"an error":         {brings("error", "access_denied"), 400},
		"a strange error":  {brings("error", `<script>"`), 400},

		"code refused":             {answers(400, "application/json", json400), 400},
		"client refused":           {answers(401, "application/json", `{"error":"invalid_client"}`), 400},
		"refused with 200":         {answers(200, "application/json", json400), 400},
		"too many":                 {answers(429, "application/json", `{}`), 503},
		"broken":                   {answers(500, "text/html", "<h1>Error</h1>"), 503},
		"away":                     {answers(503, "application/json", json400), 503},
		"redirected":               {answers(302, "text/html", ""), 503},
		"redirected with the form": {answers(307, "text/html", ""), 503},
		"no JSON":                  {answers(200, "text/html", "<h1>Hello</h1>"), 503},
		"cut JSON":                 {answers(200, "application/json", `{"access_token":"a","id_tok`), 503},
		"nothing":                  {answers(200, "application/json", ""), 503},
		"huge answer":              {answers(200, "application/json", `{"access_token":"a","x":"`+strings.Repeat("x", 2<<20)+`"}`), 503},
		"cut connection":           {func(l *liar) { l.token = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) } }, 503},
		"keys that are not there":  {claim("sub", "no-keys"), 503},
	} {
		t.Run(name, func(t *testing.T) {
			var b *bench
			if tt.want == 503 && name == "keys that are not there" {
				b = newBench(t, withoutKeys)
			} else {
				b = newBench(t)
			}
			tt.lie(b.liar)
			b.wantRefused(t, b.get(t, "/portal/login"), tt.want)
			if secret := "the-code"; strings.Contains(b.log.String(), secret) {
				t.Errorf("the log has %s: %s", secret, b.log)
			}
			if b.log.Len() == 0 {
				t.Error("the log does not say why")
			}
		})
	}
}

func without(c map[string]any, name string) map[string]any {
	delete(c, name)
	return c
}

// changed changes the last bit but those that base64 does not use.
func changed(right string, _ map[string]any) any {
	at := strings.LastIndex(right, ".") + 5
	other := byte('A')
	if right[at] == other {
		other = 'B'
	}
	return right[:at] + string(other) + right[at+1:]
}

// hmacSigned is signed with what everybody has: the public key.
func hmacSigned(_ string, claims map[string]any) any {
	public := must(jose.JSONWebKey{Key: rightKey().Public(), KeyID: "k1"}.MarshalJSON())
	signer := must(jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: jose.JSONWebKey{Key: public, KeyID: "k1"}}, nil))
	return must(must(signer.Sign(must(json.Marshal(claims)))).CompactSerialize())
}

// TestMetadataLies has a provider whose metadata cannot be used.
func TestMetadataLies(t *testing.T) {
	for name, lie := range map[string]func(map[string]any){
		"of another issuer":                  func(m map[string]any) { m["issuer"] = "https://id.test" },
		"without an authorization endpoint":  func(m map[string]any) { delete(m, "authorization_endpoint") },
		"with a script":                      func(m map[string]any) { m["authorization_endpoint"] = "javascript:alert(1)" },
		"without a token endpoint":           func(m map[string]any) { delete(m, "token_endpoint") },
		"with a token endpoint without host": func(m map[string]any) { m["token_endpoint"] = "/token" },
		"of another type":                    func(m map[string]any) { m["token_endpoint"] = 1 },
		"huge":                               func(m map[string]any) { m["x"] = strings.Repeat("x", 2<<20) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.liar.metadata = lie
			a := b.get(t, "/portal/login")
			if a.Header.Get("Retry-After") == "" {
				t.Error("it does not say when to come back")
			}
			b.wantRefused(t, a, http.StatusServiceUnavailable)
		})
	}
}
