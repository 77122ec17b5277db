package contract

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func tokenCases() []testCase {
	return []testCase{
		stated("client_credentials gives a JWT of type Bearer with a lifetime and the scope", tokenSuccess),
		stated("the token works and carries the client id", tokenWorks),
		settled("the answer follows RFC 6749 and is not stored by caches", tokenHeaders),
		settled("a client may authenticate with HTTP Basic", tokenBasic),
		settled("a wrong secret and an unknown client are told nothing apart", tokenInvalidClient),
		settled("a failed Basic authentication is challenged", tokenBasicChallenge),
		settled("a failed authentication by form is not challenged", tokenFormChallenge),
		settled("another grant type is unsupported", tokenGrant),
		settled("a missing parameter is an invalid request", tokenMissing),
		settled("a scope that the client does not have is invalid", tokenScope),
		settled("a repeated parameter is an invalid request", tokenRepeated),
		settled("two ways of authentication at once are an invalid request", tokenTwoWays),
		settled("unknown parameters are ignored", tokenUnknown),
		settled("another content type is refused", tokenContentType),
		settled("credentials in the query are not taken", tokenQuery),
		settled("only POST is allowed", tokenMethods),
		settled("bodies that cannot be read never fail the server", tokenBroken),
	}
}

// tokenAnswer is the success of RFC 6749 section 5.1 with the contract's fields.
type tokenAnswer struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int    `json:"expires_in"`
	Scope       string `json:"scope"`
}

// tokenRequest posts a form to the token endpoint.
func tokenRequest(s *suite, form url.Values) request {
	return request{
		method: http.MethodPost,
		path:   s.target.tokenPath(),
		header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
		body:   []byte(form.Encode()),
	}
}

// grant is a good token request of a client.
func grant(c Credentials) url.Values {
	return url.Values{"grant_type": {"client_credentials"}, "client_id": {c.ID}, "client_secret": {c.Secret}, "scope": {"client"}}
}

// set gives a copy with another value; an empty list removes the parameter.
func set(form url.Values, name string, values ...string) url.Values {
	changed := url.Values{}
	for key, value := range form {
		changed[key] = value
	}
	delete(changed, name)
	if len(values) > 0 {
		changed[name] = values
	}
	return changed
}

// token demands a success.
func (a answer) token(t *testing.T) tokenAnswer {
	t.Helper()
	if a.status != http.StatusOK {
		t.Fatalf("status is not 200: %s", a)
	}
	token, err := decodeExact[tokenAnswer](a.data)
	if err != nil {
		t.Fatalf("the token answer: %v", err)
	}
	return token
}

// tokenFails demands an error of RFC 6749 section 5.2 with one of the statuses and codes.
func (a answer) tokenFails(t *testing.T, status int, codes ...string) {
	t.Helper()
	if a.status != status {
		t.Errorf("status is not %d: %s", status, a)
		return
	}
	a.isJSON(t)
	entries, err := objectEntries(a.data)
	if err != nil {
		t.Errorf("%v: %s", err, a)
		return
	}
	for name := range entries {
		if !slices.Contains([]string{"error", "error_description", "error_uri"}, name) {
			t.Errorf("unknown field %s: %s", name, a)
		}
	}
	var code string
	if err := json.Unmarshal(entries["error"], &code); err != nil || !slices.Contains(codes, code) {
		t.Errorf("the error is %q, want one of %q: %s", code, codes, a)
	}
}

func tokenSuccess(t *testing.T, s *suite) {
	token := s.send(t, tokenRequest(s, grant(s.target.Client))).token(t)
	if token.TokenType != "Bearer" || token.ExpiresIn <= 0 {
		t.Errorf("token_type is %q, expires_in %d", token.TokenType, token.ExpiresIn)
	}
	if !slices.Contains(strings.Fields(token.Scope), "client") {
		t.Errorf("the scope is %q", token.Scope)
	}
	parts := strings.Split(token.AccessToken, ".")
	if len(parts) != 3 {
		t.Fatalf("the token has %d parts, want the 3 of a JWT", len(parts))
	}
	for i, part := range parts[:2] {
		data, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil || !json.Valid(data) {
			t.Errorf("part %d of the token is not base64url JSON", i)
		}
	}
}

func tokenWorks(t *testing.T, s *suite) {
	for _, cred := range []Credentials{s.target.Client, s.target.Other} {
		token := s.send(t, tokenRequest(s, grant(cred))).token(t)
		header := http.Header{"Authorization": {token.TokenType + " " + token.AccessToken}}
		a := s.send(t, request{method: http.MethodPost, path: todosPath, header: header, body: marshal(t, newTodo())})
		if item := a.todo(t); item.SourceSystem != cred.ID {
			t.Errorf("sourceSystem is %q, want %q", item.SourceSystem, cred.ID)
		}
	}
}

func tokenHeaders(t *testing.T, s *suite) {
	a := s.send(t, tokenRequest(s, grant(s.target.Client)))
	a.token(t)
	a.isJSON(t)
	if got := a.got.Get("Cache-Control"); !strings.Contains(got, "no-store") {
		t.Errorf("Cache-Control is %q", got)
	}
}

// basic moves the credentials from the form to the header (RFC 6749 section 2.3.1).
func basic(s *suite, form url.Values) request {
	id, secret := url.QueryEscape(form.Get("client_id")), url.QueryEscape(form.Get("client_secret"))
	r := tokenRequest(s, set(set(form, "client_id"), "client_secret"))
	r.header["Authorization"] = []string{"Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret))}
	return r
}

func tokenBasic(t *testing.T, s *suite) {
	s.send(t, basic(s, grant(s.target.Client))).token(t)
}

func tokenInvalidClient(t *testing.T, s *suite) {
	wrong := s.send(t, tokenRequest(s, set(grant(s.target.Client), "client_secret", fresh("wrong"))))
	unknown := s.send(t, tokenRequest(s, set(grant(s.target.Client), "client_id", fresh("unknown"))))
	for _, a := range []answer{wrong, unknown} {
		a.tokenFails(t, http.StatusUnauthorized, "invalid_client")
	}
	if string(wrong.data) != string(unknown.data) {
		t.Errorf("the answers differ: %s and %s", wrong.data, unknown.data)
	}
	// The failure above locks nobody out.
	s.send(t, tokenRequest(s, grant(s.target.Client))).token(t)
}

func tokenBasicChallenge(t *testing.T, s *suite) {
	a := s.send(t, basic(s, set(grant(s.target.Client), "client_id", fresh("unknown"))))
	a.tokenFails(t, http.StatusUnauthorized, "invalid_client")
	if got := a.got.Get("Www-Authenticate"); !strings.HasPrefix(got, "Basic") {
		t.Errorf("WWW-Authenticate is %q", got)
	}
}

// RFC 6749 section 5.2 asks for a challenge only after a header, and some libraries show a challenge in the
// place of the error.
func tokenFormChallenge(t *testing.T, s *suite) {
	a := s.send(t, tokenRequest(s, set(grant(s.target.Client), "client_id", fresh("unknown"))))
	a.tokenFails(t, http.StatusUnauthorized, "invalid_client")
	if got := a.got.Values("Www-Authenticate"); len(got) > 0 {
		t.Errorf("WWW-Authenticate is %q", got)
	}
}

func tokenGrant(t *testing.T, s *suite) {
	for _, value := range []string{"password", "authorization_code", "refresh_token", "Client_Credentials", "client_credentials ", "implicit"} {
		s.send(t, tokenRequest(s, set(grant(s.target.Client), "grant_type", value))).
			tokenFails(t, http.StatusBadRequest, "unsupported_grant_type")
	}
}

func tokenMissing(t *testing.T, s *suite) {
	s.send(t, tokenRequest(s, set(grant(s.target.Client), "grant_type"))).tokenFails(t, http.StatusBadRequest, "invalid_request")
	for _, name := range []string{"client_id", "client_secret"} {
		a := s.send(t, tokenRequest(s, set(grant(Credentials{ID: fresh("unknown"), Secret: "x"}), name)))
		// No authentication at all is an invalid client or an invalid request; the RFC allows both.
		if a.status == http.StatusBadRequest {
			a.tokenFails(t, http.StatusBadRequest, "invalid_request")
		} else {
			a.tokenFails(t, http.StatusUnauthorized, "invalid_client")
		}
	}
}

func tokenScope(t *testing.T, s *suite) {
	for _, scope := range []string{fresh("scope"), "client " + fresh("scope"), "CLIENT", "clientx"} {
		s.send(t, tokenRequest(s, set(grant(s.target.Client), "scope", scope))).tokenFails(t, http.StatusBadRequest, "invalid_scope")
	}
	s.send(t, tokenRequest(s, grant(s.target.Limited))).tokenFails(t, http.StatusBadRequest, "invalid_scope")
}

func tokenRepeated(t *testing.T, s *suite) {
	good := grant(s.target.Client)
	for name := range good {
		twice := set(good, name, good.Get(name), good.Get(name))
		s.send(t, tokenRequest(s, twice)).tokenFails(t, http.StatusBadRequest, "invalid_request")
	}
}

func tokenTwoWays(t *testing.T, s *suite) {
	r := basic(s, grant(s.target.Client))
	r.body = []byte(grant(s.target.Client).Encode())
	s.send(t, r).tokenFails(t, http.StatusBadRequest, "invalid_request")
}

// RFC 6749 section 3.2: the server must ignore unrecognized parameters.
func tokenUnknown(t *testing.T, s *suite) {
	form := set(set(grant(s.target.Client), "audience", "x"), "unknown", "y")
	s.send(t, tokenRequest(s, form)).token(t)
	r := tokenRequest(s, grant(s.target.Client))
	r.header["Content-Type"] = []string{"application/x-www-form-urlencoded; charset=UTF-8"}
	s.send(t, r).token(t)
}

func tokenContentType(t *testing.T, s *suite) {
	for _, value := range []string{"application/json", "text/plain", "multipart/form-data; boundary=x"} {
		r := tokenRequest(s, grant(s.target.Client))
		r.header["Content-Type"] = []string{value}
		a := s.send(t, r)
		if a.status != http.StatusUnsupportedMediaType {
			a.tokenFails(t, http.StatusBadRequest, "invalid_request")
		} else {
			a.tokenFails(t, http.StatusUnsupportedMediaType, "invalid_request")
		}
	}
}

func tokenQuery(t *testing.T, s *suite) {
	r := tokenRequest(s, nil)
	r.path += "?" + grant(s.target.Client).Encode()
	a := s.send(t, r)
	if a.status != http.StatusBadRequest && a.status != http.StatusUnauthorized {
		t.Errorf("credentials in the query are answered with %d", a.status)
	}
}

func tokenMethods(t *testing.T, s *suite) {
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete, http.MethodHead, http.MethodPatch} {
		a := s.send(t, request{method: method, path: s.target.tokenPath()})
		// The router may answer here with the envelope, whose status follows the setting.
		known := a.status == http.StatusMethodNotAllowed || a.status == s.failureStatus(http.StatusMethodNotAllowed)
		if !known || a.got.Get("Allow") != http.MethodPost {
			t.Errorf("%s: the status is %d, Allow is %q", method, a.status, a.got.Get("Allow"))
		}
	}
}

func tokenBroken(t *testing.T, s *suite) {
	for _, body := range []string{"", "%zz", "grant_type=%ff", "a;b", "=", "&&&", strings.Repeat("a=b&", 5000), `{"grant_type":"client_credentials"}`, "grant_type=client_credentials\x00"} {
		r := tokenRequest(s, nil)
		r.body = []byte(body)
		a := s.send(t, r)
		if a.status < http.StatusBadRequest {
			t.Errorf("%q is answered with %d", short(body), a.status)
		}
	}
}
