package portal

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func loginCases() []peopleCase {
	return []peopleCase{
		{"the login asks the provider for a code with PKCE, a state and a nonce", loginAsks},
		{"the cookie of a login is sealed, for ten minutes and for the host alone", loginCookie},
		{"returnTo may be a path of the portal and nothing else", loginReturnTo},
		{"the callback is a page that goes on by itself, with the cookie of a session", loginCallback},
		{"a state is good once", loginOnce},
		{"an answer of the provider that is not to this login is a 400 without details", loginForged},
		{"a code of another login is refused", loginOtherCode},
		{"a login ends the session that the browser had", loginEndsOld},
		{"a logout ends the session and its streams and tells where to log out at the provider", loginLogout},
		{"a logout needs the session and POST", loginLogoutNeeds},
		{"an address may begin twenty logins a minute", loginLimit},
	}
}

func loginAsks(t *testing.T, st *stage) {
	v := st.visitor()
	first, second := v.begin(t, ""), v.begin(t, "")
	u, err := url.Parse(first)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	for name, want := range map[string]string{
		"response_type": "code", "code_challenge_method": "S256", "redirect_uri": st.base + "/portal/callback",
	} {
		if q.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, q.Get(name), want)
		}
	}
	other, err := url.Parse(second)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if len(q.Get(name)) < 20 || q.Get(name) == other.Query().Get(name) {
			t.Errorf("%s is %q, and then %q", name, q.Get(name), other.Query().Get(name))
		}
	}
	if !strings.Contains(" "+q.Get("scope")+" ", " openid ") || q.Get("client_id") == "" || q.Get("client_secret") != "" {
		t.Errorf("the request is %v", q)
	}
}

// wantsCookie demands what every cookie of Hub has.
func (st *stage) wantsCookie(t *testing.T, c *http.Cookie, site http.SameSite) {
	t.Helper()
	if c == nil {
		t.Fatal("there is no such cookie")
	}
	if !c.HttpOnly || c.Secure != st.secure() || c.Path != "/" || c.Domain != "" || c.SameSite != site || len(c.Value) > 2048 {
		t.Errorf("the cookie is %s; of %d bytes", strings.Replace(c.String(), c.Value, "...", 1), len(c.Value))
	}
	if strings.Count(c.Value, ".") != 4 {
		t.Error("the value is no encrypted token")
	}
}

func loginCookie(t *testing.T, st *stage) {
	r := st.visitor().send(t, http.MethodGet, "/portal/login", typed, "")
	c := r.set[st.cookie("login")]
	st.wantsCookie(t, c, http.SameSiteLaxMode)
	if c.MaxAge != 600 {
		t.Errorf("it is good for %d s, want 600", c.MaxAge)
	}
}

// refresh finds where a page goes on to.
var refresh = regexp.MustCompile(`http-equiv="refresh" content="0; ?url=([^"]*)"`)

func (r reply) refresh() string {
	found := refresh.FindStringSubmatch(string(r.body))
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[1])
}

func loginReturnTo(t *testing.T, st *stage) {
	for _, tt := range []struct{ asked, want string }{
		{"/portal/my/todos?list=done", "/portal/my/todos?list=done"},
		{"/apps/crm/jump?to=%2Forders", "/apps/crm/jump?to=%2Forders"},
		{"//evil.example/portal/", "/portal/"},
		{`/portal/\evil.example`, "/portal/"},
		{"/portal/%2e%2e/message-hub/stream", "/portal/"},
		{"https://evil.example/portal/", "/portal/"},
		{"/portal/logout", "/portal/"},
		{"/todo-hub/todos", "/portal/"},
		{"", "/portal/"},
	} {
		r := st.visitor().logIn(t, st.ben, "?"+url.Values{"returnTo": {tt.asked}}.Encode())
		if got := r.refresh(); got != tt.want {
			t.Errorf("returnTo %q leads to %q, want %q", tt.asked, got, tt.want)
		}
	}
}

func loginCallback(t *testing.T, st *stage) {
	v := st.visitor()
	r := v.logIn(t, st.amy, "")
	if !strings.HasPrefix(r.header.Get("Content-Type"), "text/html") || r.refresh() != "/portal/" {
		t.Errorf("it leads to %q: %s", r.refresh(), r)
	}
	c := r.set[st.cookie("session")]
	st.wantsCookie(t, c, http.SameSiteStrictMode)
	if c.MaxAge != 0 || !c.Expires.IsZero() {
		t.Errorf("the cookie outlives the browser")
	}
	if gone := r.set[st.cookie("login")]; gone == nil || gone.MaxAge >= 0 {
		t.Error("the cookie of the login stays")
	}
	v.get(t, "/portal/me").data(t)
}

// refused demands a page that says nothing of why, and no session.
func (st *stage) refused(t *testing.T, what string, r reply) {
	t.Helper()
	if r.status != http.StatusBadRequest || !strings.HasPrefix(r.header.Get("Content-Type"), "text/html") || r.set[st.cookie("session")] != nil {
		t.Errorf("%s: %s", what, r)
	}
	for _, word := range []string{"nonce", "state", "iss", "PKCE", "verifier", "cookie"} {
		if strings.Contains(string(r.body), word) {
			t.Errorf("%s: the page tells of %s: %s", what, word, r)
		}
	}
}

func loginOnce(t *testing.T, st *stage) {
	v := st.visitor()
	address := st.people.Answer(t, v.begin(t, ""), st.amy)
	kept := v.cookies[st.cookie("login")]
	if r := v.back(t, address); r.status != http.StatusOK {
		t.Fatalf("no login: %s", r)
	}
	st.refused(t, "without the cookie", v.back(t, address))
	// Who kept the cookie has the state, and a code that was used.
	v = st.visitor()
	v.cookies[st.cookie("login")] = kept
	st.refused(t, "with the cookie", v.back(t, address))
}

func loginForged(t *testing.T, st *stage) {
	change := func(name string, values ...string) func(url.Values) {
		return func(q url.Values) { q[name] = values }
	}
	for what, change := range map[string]func(url.Values){
		"another state": change("state", "x"),
		"no state":      change("state"),
		"two states":    func(q url.Values) { q["state"] = append(q["state"], "x") },
		"another iss":   change("iss", "https://provider.example"),
		"no iss":        change("iss"),
		"no code":       change("code"),
		"an error":      change("error", "access_denied"),
		"another code":  change("code", "x"),
	} {
		v := st.visitor()
		u, err := url.Parse(st.people.Answer(t, v.begin(t, ""), st.amy))
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		change(q)
		u.RawQuery = q.Encode()
		st.refused(t, what, v.back(t, u.String()))
	}
	st.refused(t, "no login", st.visitor().back(t, st.base+"/portal/callback?code=x&state=y"))
}

// loginOtherCode gives a victim the code of another login: what PKCE and the nonce are for.
func loginOtherCode(t *testing.T, st *stage) {
	for what, name := range map[string]string{"another challenge": "code_challenge", "another nonce": "nonce"} {
		v := st.visitor()
		asked, err := url.Parse(v.begin(t, ""))
		if err != nil {
			t.Fatal(err)
		}
		q := asked.Query()
		q.Set(name, challenge)
		asked.RawQuery = q.Encode()
		st.refused(t, what, v.back(t, st.people.Answer(t, asked.String(), st.ben)))
	}
}

func loginEndsOld(t *testing.T, st *stage) {
	v := st.visitor()
	v.logIn(t, st.amy, "")
	old := st.visitor()
	old.cookies[st.cookie("session")] = v.cookies[st.cookie("session")]
	old.get(t, "/portal/me").data(t)
	v.logIn(t, st.amy, "")
	old.get(t, "/portal/me").fails(t, http.StatusUnauthorized)
	v.get(t, "/portal/me").data(t)
}

func loginLogout(t *testing.T, st *stage) {
	v := st.visitor()
	v.logIn(t, st.ben, "")
	kept := st.visitor()
	kept.cookies[st.cookie("session")] = v.cookies[st.cookie("session")]
	stream := v.listen(t, ownPage)
	r := v.post(t, "/portal/logout")
	answer := decode[map[string]any](t, r.data(t))
	if address, ok := answer["logoutUrl"]; !ok || len(answer) != 1 {
		t.Errorf("the answer is %v", answer)
	} else if text, _ := address.(string); text != "" && (!strings.Contains(text, "client_id=") || strings.Contains(text, "id_token_hint")) {
		t.Errorf("logoutUrl is %q", text)
	}
	stream.wantsEnd(t)
	if _, stays := v.cookies[st.cookie("session")]; stays {
		t.Error("the cookie stays")
	}
	kept.get(t, "/portal/me").fails(t, http.StatusUnauthorized)
}

func loginLogoutNeeds(t *testing.T, st *stage) {
	st.ask(t, http.MethodPost, "/portal/logout", ownPage, "").fails(t, http.StatusUnauthorized)
	st.ask(t, http.MethodPost, "/portal/logout", st.bearer(t, st.amy), "").fails(t, http.StatusForbidden)
	if r := st.hers.send(t, http.MethodGet, "/portal/logout", typed, ""); r.status != http.StatusMethodNotAllowed {
		t.Errorf("a GET: %s", r)
	}
	st.hers.get(t, "/portal/me").data(t)
}

// loginLimit comes last of the logins, since it uses them up where all calls come from one address.
func loginLimit(t *testing.T, st *stage) {
	begin := func() reply {
		v := st.visitor()
		v.http = st.still
		return v.attempt(t, http.MethodGet, "/portal/login", typed, "")
	}
	for i := range 30 {
		switch r := begin(); {
		case r.status == http.StatusTooManyRequests && i >= 20:
			if wait := r.header.Get("Retry-After"); wait == "" || wait == "0" {
				t.Errorf("Retry-After is %q: %s", wait, r)
			}
			return
		case r.status != http.StatusSeeOther:
			t.Fatalf("login %d: %s", i+1, r)
		}
	}
	t.Error("there is no limit")
}
