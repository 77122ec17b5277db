package contract

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func authCases() []testCase {
	return []testCase{
		stated("no token is refused", eachRoute(authNone)),
		stated("an invalid token is refused", eachRoute(authInvalid)),
		stated("a token without the scope client is refused", eachRoute(authScope)),
		settled("another scheme is refused", eachRoute(authScheme)),
		settled("two Authorization headers are refused", eachRoute(authTwice)),
		settled("a token in the query or in a form is refused", eachRoute(authQuery)),
		settled("401 comes with a challenge and 403 names insufficient_scope", authChallenge),
		settled("the token comes before the body", authBeforeBody),
		settled("a refused call stores nothing", authNoEffect),
		settled("the scheme may have any case", authSchemeCase),
		settled("a very long token is refused", authLong),
		settled("the OpenAPI document needs no token", authDocument),
	}
}

// unauthorized demands a 401 with a Bearer challenge, in an envelope.
func (a answer) unauthorized(t *testing.T) (challenge string) {
	t.Helper()
	a.fails(t, http.StatusUnauthorized)
	challenge = a.got.Get("Www-Authenticate")
	if !strings.HasPrefix(challenge, "Bearer") {
		t.Errorf("WWW-Authenticate is %q: %s", challenge, a)
	}
	return challenge
}

func authNone(t *testing.T, s *suite, r route) {
	// RFC 6750 section 3.1: no error code when no authentication was tried.
	if challenge := s.send(t, r.request(nil)).unauthorized(t); strings.Contains(challenge, "error") {
		t.Errorf("the challenge is %q, want a bare one", challenge)
	}
}

// badTokens are made from a good one.
func badTokens(good string) []string {
	parts := strings.Split(good, ".")
	encode := base64.RawURLEncoding.EncodeToString
	flipped := "A"
	if strings.HasPrefix(parts[2], flipped) {
		flipped = "B"
	}
	return []string{
		"x", "a.b.c", "null", strings.Repeat("x", 500), good + "x", good[:len(good)-10], parts[0] + "." + parts[1], parts[0] + "." + parts[1] + ".",
		parts[0] + "." + parts[1] + "." + flipped + parts[2][1:],
		parts[0] + "." + encode([]byte(`{"client_id":"erp","scope":"client"}`)) + "." + parts[2],
		encode([]byte(`{"alg":"none"}`)) + "." + parts[1] + ".",
		encode([]byte(`{"alg":"none","typ":"at+jwt"}`)) + "." + parts[1] + "." + parts[2],
		encode([]byte(`{"alg":"HS256","typ":"at+jwt"}`)) + "." + parts[1] + "." + parts[2],
		good + "." + parts[2], "." + good,
	}
}

func authInvalid(t *testing.T, s *suite, r route) {
	for _, token := range badTokens(s.main.bearer(t)) {
		challenge := s.send(t, r.request(http.Header{"Authorization": {"Bearer " + token}})).unauthorized(t)
		if !strings.Contains(challenge, `error="invalid_token"`) {
			t.Errorf("the challenge for %s is %q, want invalid_token", short(token), challenge)
		}
	}
}

func authScope(t *testing.T, s *suite, r route) {
	a := s.limited.send(t, r.request(nil))
	a.fails(t, http.StatusForbidden)
	if challenge := a.got.Get("Www-Authenticate"); !strings.Contains(challenge, `error="insufficient_scope"`) {
		t.Errorf("the challenge is %q, want insufficient_scope", challenge)
	}
}

func authScheme(t *testing.T, s *suite, r route) {
	token := s.main.bearer(t)
	basic := base64.StdEncoding.EncodeToString([]byte(s.main.cred.ID + ":" + s.main.cred.Secret))
	for _, value := range []string{
		"", "Bearer", "Bearer ", token, "Basic " + basic, "Token " + token, "Bearer" + token, "Bearer=" + token, "Bearer Bearer " + token,
		"Bearer " + token + " x", "Bearer " + token + ", Bearer " + token, "JWT " + token, "DPoP " + token,
	} {
		s.send(t, r.request(http.Header{"Authorization": {value}})).unauthorized(t)
	}
}

func authTwice(t *testing.T, s *suite, r route) {
	main, limited := "Bearer "+s.main.bearer(t), "Bearer "+s.limited.bearer(t)
	for _, values := range [][]string{{main, main}, {main, limited}, {limited, main}, {main, ""}, {"", main}, {main, "Basic eDp5"}} {
		s.send(t, r.request(http.Header{"Authorization": values})).unauthorized(t)
	}
}

func authQuery(t *testing.T, s *suite, r route) {
	token := url.QueryEscape(s.main.bearer(t))
	for _, name := range []string{"access_token", "token", "authorization", "Authorization"} {
		changed := r
		separator := "?"
		if strings.Contains(r.path, "?") {
			separator = "&"
		}
		changed.path += separator + name + "=" + token
		s.send(t, changed.request(nil)).unauthorized(t)
	}
	if r.method == http.MethodPost {
		changed := r
		changed.body = []byte("access_token=" + token)
		s.send(t, changed.request(http.Header{"Content-Type": {"application/x-www-form-urlencoded"}})).unauthorized(t)
	}
	s.send(t, r.request(http.Header{"Cookie": {"access_token=" + token}, "X-Access-Token": {token}})).unauthorized(t)
}

func authChallenge(t *testing.T, s *suite) {
	r := s.routes()[0]
	if challenge := s.send(t, r.request(nil)).unauthorized(t); strings.Contains(challenge, "error") {
		t.Errorf("without a token the challenge is %q", challenge)
	}
	if challenge := s.send(t, r.request(http.Header{"Authorization": {"Bearer x"}})).unauthorized(t); !strings.Contains(challenge, "invalid_token") {
		t.Errorf("with a bad token the challenge is %q", challenge)
	}
	a := s.limited.send(t, r.request(nil))
	a.fails(t, http.StatusForbidden)
	if challenge := a.got.Get("Www-Authenticate"); !strings.HasPrefix(challenge, "Bearer") || !strings.Contains(challenge, "insufficient_scope") {
		t.Errorf("without the scope the challenge is %q", challenge)
	}
}

func authBeforeBody(t *testing.T, s *suite) {
	for _, body := range []string{"", "{", "{}", "\xff", strings.Repeat("x", 100_000)} {
		for _, path := range []string{todosPath, messagesPath, todoPath("x", "clear")} {
			r := request{method: http.MethodPost, path: path, body: []byte(body), header: http.Header{"Content-Type": {"text/plain"}}}
			s.send(t, r).unauthorized(t)
			s.limited.send(t, r).fails(t, http.StatusForbidden)
		}
	}
}

func authNoEffect(t *testing.T, s *suite) {
	item := s.main.upsert(t, newTodo())
	message := newMessage()
	s.main.push(t, message)
	changed := newTodo().with("todoId", item.ID).with("assigneeUsername", item.AssigneeUsername)
	again := newMessage(message.target())
	for _, r := range []request{
		{method: http.MethodPost, path: todosPath, body: marshal(t, changed)},
		{method: http.MethodPost, path: todoPath(item.ID, "clear"), body: []byte(`{"result":"done"}`)},
		{method: http.MethodPost, path: todoPath(item.ID, "invalidate")},
		{method: http.MethodPost, path: messagesPath, body: marshal(t, again)},
		{method: http.MethodPost, path: readPath(message.messageID(), "username", message.target())},
	} {
		s.send(t, r).unauthorized(t)
		s.limited.send(t, r).fails(t, http.StatusForbidden)
		r.header = http.Header{"Authorization": {"Bearer x.y.z"}}
		s.send(t, r).unauthorized(t)
	}
	s.main.unchanged(t, item)
	if m := s.main.record(t, message.target()); m.Status != "UNREAD" {
		t.Errorf("the record is %s", m.Status)
	}
}

// RFC 9110 section 11.1: the scheme is case-insensitive.
func authSchemeCase(t *testing.T, s *suite) {
	for _, scheme := range []string{"bearer", "BEARER", "bEaReR"} {
		r := request{method: http.MethodPost, path: todosPath, header: http.Header{"Authorization": {scheme + " " + s.main.bearer(t)}}, body: marshal(t, newTodo())}
		s.send(t, r).todo(t)
	}
}

// A header that is too large for the server is refused before any handler, without an envelope.
func authLong(t *testing.T, s *suite) {
	for _, size := range []int{8 << 10, 15 << 10} {
		token := s.main.bearer(t) + strings.Repeat("x", size)
		s.send(t, request{method: http.MethodGet, path: unreadPath + "?username=x", header: http.Header{"Authorization": {"Bearer " + token}}}).unauthorized(t)
	}
	token := strings.Repeat("x", 64<<10)
	a := s.send(t, request{method: http.MethodGet, path: "/nothing-here", header: http.Header{"Authorization": {"Bearer " + token}}})
	if a.status != http.StatusRequestHeaderFieldsTooLarge && a.status != http.StatusUnauthorized {
		t.Errorf("a token of 64 KiB is not refused: %s", a)
	}
}

func authDocument(t *testing.T, s *suite) {
	if a := s.send(t, request{method: http.MethodGet, path: documentPath}); a.status != http.StatusOK {
		t.Errorf("the status is not 200: %s", a)
	}
}
