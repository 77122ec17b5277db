package browser_test

import (
	"crypto/rand"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"

	"example.com/hub/test/shape/shapetest"
)

// logIn logs a person of the demo in, and leaves her on the page of the portal.
func logIn(t *testing.T, h hub, b tab, username string) {
	t.Helper()
	b.open(t, h.url+"/portal/")
	b.until(t, "location.pathname === '/demo/oidc/authorize' && document.readyState === 'complete'")
	b.click(t, `a[href*="user=`+username+`"]`)
	b.until(t, "location.pathname === '/portal/' && document.querySelector('#who')")
}

// provided runs a Hub whose people are those of a provider that is not Hub's.
func provided(t *testing.T, environ ...string) (hub, provider) {
	t.Helper()
	address := shapetest.FreeAddress(t)
	p := startProvider(t, "http://"+address+"/portal/callback")
	startHub(t, address, append(p.settings(t), environ...)...)
	return reach(t, "http://"+address, "http://"+address), p
}

// settings are those by which Hub knows the provider.
func (p provider) settings(t *testing.T) []string {
	t.Helper()
	return []string{
		"HUB_USER_ISSUER_URL=" + p.issuer, "HUB_USER_AUDIENCE=hub-people", "HUB_LOGIN_CLIENT_ID=" + providerClient,
		"HUB_LOGIN_CLIENT_SECRET_FILE=" + file(t, providerSecret), "HUB_SECRETS_FILE=" + secrets(t),
	}
}

// secrets is a file with a key for cookies.
func secrets(t *testing.T) string {
	t.Helper()
	return file(t, rand.Text()+rand.Text())
}

// file is one with a line.
func file(t *testing.T, line string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// live demands that the page shows a person's name and follows her count without being loaded again.
func live(t *testing.T, h hub, b tab, username, name string) {
	t.Helper()
	b.shows(t, "#who", name)
	b.shows(t, "#unread", "0")
	b.shows(t, "#state", "Live")
	first := h.push(t, username)
	b.shows(t, "#unread", "1")
	h.push(t, username)
	b.shows(t, "#unread", "2")
	h.call(t, http.MethodPost, "/message-hub/messages/"+first+"/read?username="+username, "")
	b.shows(t, "#unread", "1")
}

// leave logs out by the menu of the account.
func (b tab) leave(t *testing.T) {
	t.Helper()
	b.click(t, ".top .account")
	b.click(t, "#logout")
}

// logOut logs out, and demands that nothing is left: no session, and no stream of another page.
func logOut(t *testing.T, h hub, b tab) {
	t.Helper()
	other := b.beside(t)
	other.listen(t, h)
	b.leave(t)
	other.until(t, "lost > 0")
	if status := eval[int](t, other, "fetch('/portal/me').then((answer) => answer.status)"); status != http.StatusUnauthorized {
		t.Errorf("/portal/me answers %d", status)
	}
	if len(b.cookies(t, h.url)) != 0 {
		t.Errorf("the browser keeps %v", b.cookies(t, h.url))
	}
}

func TestPeopleOfTheDemoLogIn(t *testing.T) {
	h := demo(t)
	amy := newPerson(t)
	logIn(t, h, amy, "amy")
	live(t, h, amy, "amy", "Amy")
	logOut(t, h, amy)
	amy.shows(t, "main h1", "You are logged out")
}

func TestPeopleOfAnotherProviderLogIn(t *testing.T) {
	h, p := provided(t)
	dora := newPerson(t)
	dora.open(t, h.url+"/portal/")
	p.login(t, dora, "1001")
	live(t, h, dora, "dora", "Dora D.")
	logOut(t, h, dora)
	// The next one is somebody else, in the same browser: the provider remembers dora, and tells Hub.
	dora.until(t, "location.hostname === 'localhost'")
}

func TestWhoCancelsIsNotLoggedIn(t *testing.T) {
	h, p := provided(t)
	dora := newPerson(t)
	dora.open(t, h.url+"/portal/")
	dora.until(t, "document.querySelector('input[name=login]')")
	dora.click(t, "a[href$='/abort']")
	dora.shows(t, "h1", "The login did not work")
	dora.click(t, "a[href='/portal/login']")
	p.login(t, dora, "1002")
	dora.shows(t, "#who", "Emil E.")
}

// TestCookies reads what the browser keeps.
func TestCookies(t *testing.T) {
	for scheme, start := range map[string]func(*testing.T) hub{
		"http":  func(t *testing.T) hub { return demo(t) },
		"https": demoTLS,
	} {
		t.Run(scheme, func(t *testing.T) {
			h := start(t)
			amy := newPerson(t)
			amy.open(t, h.url+"/portal/")
			amy.until(t, "location.pathname === '/demo/oidc/authorize'")
			wantCookie(t, amy, h, "hub-login", network.CookieSameSiteLax)
			logIn(t, h, amy, "amy")
			wantCookie(t, amy, h, "hub-session", network.CookieSameSiteStrict)
			if text := eval[string](t, amy, "document.cookie"); text != "" {
				t.Errorf("scripts read %q", text)
			}
		})
	}
}

// wantCookie demands that the browser has one cookie of Hub, with every flag that a cookie can have.
func wantCookie(t *testing.T, b tab, h hub, name string, site network.CookieSameSite) {
	t.Helper()
	secure := strings.HasPrefix(h.url, "https:")
	if secure {
		name = "__Host-" + name
	}
	all := b.cookies(t, h.url)
	c := all[name]
	if c == nil || len(all) != 1 {
		t.Fatalf("the browser has %v, want %s", all, name)
	}
	host := "127.0.0.1"
	if secure {
		host = "hub.test"
	}
	// A cookie with a Domain would begin with a dot.
	if !c.HTTPOnly || c.Secure != secure || c.SameSite != site || c.Path != "/" || c.Domain != host {
		t.Errorf("the cookie is %+v", c)
	}
	if login := strings.HasSuffix(name, "login"); c.Session == login || c.Size > 2048 {
		t.Errorf("%s ends with the browser: %v; %d bytes", name, c.Session, c.Size)
	}
}

// TestTwoEdges runs two edges with Redis between them and a cookie of each.
func TestTwoEdges(t *testing.T) {
	edges := shapetest.Addresses(t, 2)
	p := startProvider(t, "http://"+edges[0].Public+"/portal/callback")
	cfg := shapetest.Config(t, bin, shapetest.Home(t), 2)
	cfg.Edges = edges
	cfg.Environ = append(cfg.Environ, p.settings(t)...)
	shapetest.Start(t, cfg)
	one := reach(t, "http://"+edges[0].Public, "http://"+edges[0].Public)
	two := reach(t, "http://"+edges[1].Public, "http://"+edges[1].Public)

	// Browsers keep cookies by host, whatever the port.
	dora := newPerson(t)
	dora.open(t, one.url+"/portal/")
	p.login(t, dora, "1001")
	dora.shows(t, "#who", "Dora D.")
	there := dora.beside(t)
	there.open(t, two.url+"/portal/")
	there.shows(t, "#who", "Dora D.")
	there.shows(t, "#state", "Live")
	there.shows(t, "#unread", "0")
	one.push(t, "dora")
	there.shows(t, "#unread", "1")

	dora.leave(t)
	there.until(t, "location.pathname !== '/portal/'") // its stream has ended, and its session with it
	emil := newPerson(t)
	emil.open(t, two.url+"/portal/") // a login is sent to the public address
	p.login(t, emil, "1002")
	emil.shows(t, "#who", "Emil E.")
	if at := eval[string](t, emil, "location.origin"); at != one.url {
		t.Errorf("she is at %s, want %s", at, one.url)
	}
}
