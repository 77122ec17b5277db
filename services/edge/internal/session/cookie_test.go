package session_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/reload"
	"example.com/hub/services/edge/internal/sealed"
	"example.com/hub/services/edge/internal/session"
)

func TestFlagsOfTheCookie(t *testing.T) {
	for url, want := range map[string]string{
		"https://hub.test":      "__Host-hub-session=V; Path=/; HttpOnly; Secure; SameSite=Strict",
		"https://127.0.0.1:1":   "__Host-hub-session=V; Path=/; HttpOnly; Secure; SameSite=Strict",
		"http://127.0.0.1:8080": "hub-session=V; Path=/; HttpOnly; SameSite=Strict",
		"http://localhost":      "hub-session=V; Path=/; HttpOnly; SameSite=Strict",
		"http://[::1]:8080":     "hub-session=V; Path=/; HttpOnly; SameSite=Strict",
	} {
		e := open(t, options{publicURL: url})
		w := httptest.NewRecorder()
		if err := e.Begin(w, httptest.NewRequest(http.MethodGet, "/portal/callback", nil), amy); err != nil {
			t.Fatal(err)
		}
		value := taken(t, w).Value
		if got := w.Header()["Set-Cookie"]; len(got) != 1 || got[0] != strings.Replace(want, "V", value, 1) {
			t.Errorf("%s: %q", url, got)
		}
	}
}

func TestHTTPOffLoopbackIsRefused(t *testing.T) {
	e := open(t, options{})
	for _, url := range []string{"", "hub.test", "http://hub.test", "http://10.0.0.1:8080", "http://localhost.test", "ftp://hub.test"} {
		_, err := session.New(session.Deps{
			Config: session.Config{Idle: time.Hour, Lifetime: time.Hour}, PublicURL: url,
			Keys: &sealed.Keys{}, Store: e.store, Bus: noBus{},
		})
		if err == nil || !strings.HasPrefix(err.Error(), "HUB_PUBLIC_URL: must be ") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestSettingsNameTheirFault(t *testing.T) {
	for want, c := range map[string]session.Config{
		"HUB_SESSION_IDLE: must be from 5m to 24h, not 4m59s":                       {Idle: 5*time.Minute - time.Second, Lifetime: time.Hour},
		"HUB_SESSION_IDLE: must be from 5m to 24h, not 24h0m1s":                     {Idle: 24*time.Hour + time.Second, Lifetime: 48 * time.Hour},
		"HUB_SESSION_LIFETIME: must be from HUB_SESSION_IDLE to 720h, not 29m0s":    {Idle: 30 * time.Minute, Lifetime: 29 * time.Minute},
		"HUB_SESSION_LIFETIME: must be from HUB_SESSION_IDLE to 720h, not 721h0m0s": {Idle: 30 * time.Minute, Lifetime: 721 * time.Hour},
	} {
		if err := c.Validate(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestTheCookieFits(t *testing.T) {
	e := open(t, options{})
	w := httptest.NewRecorder()
	p := session.Person{
		Username: strings.Repeat("ä", 255), Name: "Amy\r\n\x00" + strings.Repeat("日", 1000),
		Permissions: []string{"apps", "content", "directory", "messages", "todos"},
	}
	if err := e.Begin(w, httptest.NewRequest(http.MethodGet, "/", nil), p); err != nil {
		t.Fatal(err)
	}
	c := taken(t, w)
	if len(c.Value) > 2048 {
		t.Errorf("the cookie has %d bytes", len(c.Value))
	}
	s, err := e.Check(httptest.NewRecorder(), request(c), false)
	if err != nil || s.Username != p.Username || !strings.HasPrefix(s.Name, "Amy日") || strings.ContainsRune(s.Name, '\uFFFD') {
		t.Errorf("the session is %+v, %v", s, err)
	}
}

// TestBadCookiesAreRefused changes the cookie in every part of it, and around it.
func TestBadCookiesAreRefused(t *testing.T) {
	e := open(t, options{})
	good := e.begin(t)
	parts := strings.Split(good.Value, ".") // header, no key, IV, text, tag
	bad := map[string]string{
		"empty": "", "dots": "....", "blank": " ", "header only": parts[0], "no tag": strings.Join(parts[:4], "."),
		"of another Hub": open(t, options{keys: []string{second}}).begin(t).Value,
		"twice":          good.Value + good.Value, "cut": good.Value[:len(good.Value)-1], "padded": good.Value + "=",
		"lower case": strings.ToLower(good.Value), "long": good.Value + strings.Repeat("A", 4096),
		"a token": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbXkifQ.", "a name": "amy",
	}
	for i, name := range []string{"header", "key", "IV", "text", "tag"} {
		for _, at := range []int{0, len(parts[i]) / 2, len(parts[i]) - 1} {
			changed := append([]string(nil), parts...)
			if parts[i] == "" {
				changed[i] = "A"
			} else {
				at = max(at, 0)
				c := byte('A')
				if parts[i][at] == c {
					c = 'B'
				}
				changed[i] = parts[i][:at] + string(c) + parts[i][at+1:]
			}
			bad[name+" changed"] = strings.Join(changed, ".")
			e.wantRefused(t, fault.Unauthenticated, &http.Cookie{Name: cookie, Value: strings.Join(changed, ".")})
		}
	}
	for name, value := range bad {
		t.Run(name, func(t *testing.T) {
			e.wantRefused(t, fault.Unauthenticated, &http.Cookie{Name: cookie, Value: value})
		})
	}
	t.Run("several", func(t *testing.T) { e.wantRefused(t, fault.Unauthenticated, good, good) })
	t.Run("none", func(t *testing.T) { e.wantRefused(t, fault.Unauthenticated) })
	for _, name := range []string{"hub-session", "hub-login", "__host-hub-session", "__Secure-hub-session", "access_token"} {
		if r := request(&http.Cookie{Name: name, Value: good.Value}); e.Sent(r) {
			t.Errorf("a cookie %s counts", name)
		}
		e.wantRefused(t, fault.Unauthenticated, &http.Cookie{Name: name, Value: good.Value})
	}
	e.check(t, good)
}

func TestACookieOfAnotherPurposeIsNoSession(t *testing.T) {
	e := open(t, options{})
	keys, err := sealed.Open(sealed.Config{File: e.file}, sealed.Deps{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := keys.Seal("login", map[string]any{"id": "x", "user": "amy", "begun": e.clock.time().UnixMilli(), "at": e.clock.time().UnixMilli()})
	if err != nil {
		t.Fatal(err)
	}
	e.wantRefused(t, fault.Unauthenticated, &http.Cookie{Name: cookie, Value: text})
}

func TestSessionsOfARemovedKeyEnd(t *testing.T) {
	e := open(t, options{})
	old := e.begin(t)
	e.write(t, second, first)
	e.clock.pass(reload.Every)
	e.check(t, old)
	young := e.begin(t)
	e.write(t, second)
	e.clock.pass(reload.Every)
	e.wantRefused(t, fault.Unauthenticated, old)
	e.check(t, young)
}

func TestAnAuthorizationHeaderSwitchesCookiesOff(t *testing.T) {
	e := open(t, options{})
	c := e.begin(t)
	if !e.Sent(request(c)) {
		t.Error("a cookie does not count")
	}
	for _, value := range []string{"Bearer good", "Bearer bad", "Basic x", "nonsense", ""} {
		r := request(c)
		r.Header["Authorization"] = []string{value}
		if e.Sent(r) {
			t.Errorf("a cookie counts beside Authorization: %q", value)
		}
	}
}

func TestTheLogHasNoSecret(t *testing.T) {
	e := open(t, options{})
	c := e.begin(t)
	s, _ := e.check(t, c)
	if err := e.End(httptest.NewRecorder(), request(c), s); err != nil {
		t.Fatal(err)
	}
	log := e.log.String()
	if strings.Contains(log, c.Value) || !strings.Contains(log, "session begun") || !strings.Contains(log, "session ended") || !strings.Contains(log, "user=amy") {
		t.Error(log)
	}
}
