package allinone_test

import (
	"bufio"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/allinone"
)

// browser calls a Hub as one does, apart from running scripts.
type browser struct {
	t    *testing.T
	hub  *allinone.Hub
	http *http.Client
}

func newBrowser(t *testing.T, hub *allinone.Hub) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, hub, &http.Client{Jar: jar}}
}

// ask makes a request of a page of Hub's own; headers replace what it has.
func (b *browser) ask(method, address string, headers ...string) (resp *http.Response, body string) {
	b.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = b.hub.URL() + address
	}
	r, err := http.NewRequestWithContext(b.t.Context(), method, address, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err = b.http.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return resp, string(text)
}

// open shows a page, and goes on where it leads to by itself.
func (b *browser) open(address string, headers ...string) (resp *http.Response, body string) {
	b.t.Helper()
	resp, body = b.ask(http.MethodGet, address, append([]string{"Accept", "text/html,*/*;q=0.8"}, headers...)...)
	if m := regexp.MustCompile(`http-equiv="refresh" content="0; url=([^"]*)"`).FindStringSubmatch(body); m != nil {
		return b.open(html.UnescapeString(m[1]))
	}
	return resp, body
}

// logIn opens a page as one of the demo users.
func (b *browser) logIn(user, address string) (resp *http.Response, body string) {
	b.t.Helper()
	_, choice := b.open(address)
	m := regexp.MustCompile(`href="([^"]*user=` + user + `[^"]*)"`).FindStringSubmatch(choice)
	if m == nil {
		b.t.Fatalf("nobody can be chosen: %s", choice)
	}
	return b.open(html.UnescapeString(m[1]))
}

func (b *browser) me() (status int, data map[string]any) {
	b.t.Helper()
	resp, body := b.ask(http.MethodGet, "/portal/me")
	var answer struct{ Data map[string]any }
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		b.t.Fatalf("%s: %v", body, err)
	}
	return resp.StatusCode, answer.Data
}

func TestADemoUserLogsInAndOut(t *testing.T) {
	b := newBrowser(t, start(t))
	resp, body := b.logIn("amy", "/")
	if resp.StatusCode != http.StatusOK || resp.Request.URL.Path != "/portal/" || !strings.Contains(body, `id="app"`) {
		t.Fatalf("%s shows %s", resp.Request.URL, body)
	}
	policy := "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'"
	if got := resp.Header.Get("Content-Security-Policy"); got != policy {
		t.Errorf("the policy of the page is %q", got)
	}
	for _, m := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(body, -1) {
		if resp, _ := b.ask(http.MethodGet, m[1]); resp.StatusCode != http.StatusOK {
			t.Errorf("the page needs %s: %s", m[1], resp.Status)
		}
	}
	status, me := b.me()
	if ends, _ := me["sessionExpiresAt"].(string); status != http.StatusOK || !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`).MatchString(ends) {
		t.Errorf("%d, the session expires at %v", status, me["sessionExpiresAt"])
	}
	delete(me, "sessionExpiresAt")
	want := map[string]any{
		"username": "amy", "userId": "amy", "name": "Amy", "email": "amy@hub.example", "dept": "sales", "roles": []any{}, "permissions": []any{},
	}
	if diff := cmp.Diff(want, me); diff != "" {
		t.Errorf("who she is differs (-want +got):\n%s", diff)
	}

	resp, body = b.ask(http.MethodPost, "/portal/logout")
	if want := `{"code":"0","msg":"ok","data":{"logoutUrl":null}}` + "\n"; resp.StatusCode != http.StatusOK || body != want {
		t.Errorf("logout: %s %s", resp.Status, body)
	}
	if status, _ := b.me(); status != http.StatusUnauthorized {
		t.Errorf("after the logout: %d", status)
	}
	if resp, _ := b.ask(http.MethodPost, "/portal/logout"); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a second logout: %s", resp.Status)
	}
	if _, body := b.open("/portal/"); !strings.Contains(body, "Who are you?") {
		t.Errorf("the portal shows %s", body)
	}
}

func TestRolesOfDemoUsers(t *testing.T) {
	hub := start(t)
	all := []any{"apps", "content", "directory", "messages", "todos"}
	for user, want := range map[string][2][]any{"ben": {{"staff"}, {}}, "carla": {{"hub-admin", "managers", "staff"}, all}} {
		b := newBrowser(t, hub)
		b.logIn(user, "/portal/")
		_, me := b.me()
		if diff := cmp.Diff(want, [2][]any{me["roles"].([]any), me["permissions"].([]any)}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", user, diff)
		}
	}
}

// TestAnotherLoginEndsTheSession copies the cookie before.
func TestAnotherLoginEndsTheSession(t *testing.T) {
	b := newBrowser(t, start(t))
	b.logIn("amy", "/portal/")
	old := newBrowser(t, b.hub)
	site, err := url.Parse(b.hub.URL())
	if err != nil {
		t.Fatal(err)
	}
	old.http.Jar.SetCookies(site, b.http.Jar.Cookies(site))
	if status, _ := old.me(); status != http.StatusOK {
		t.Fatalf("the copy is answered %d", status)
	}
	b.logIn("ben", "/portal/login")
	if _, me := b.me(); me["username"] != "ben" {
		t.Errorf("logged in is %v", me)
	}
	if status, _ := old.me(); status != http.StatusUnauthorized {
		t.Errorf("the session before is answered %d", status)
	}
}

// TestALinkFromElsewhereIsAskedTwice has a browser that leaves a Strict cookie out of what another site asks.
func TestALinkFromElsewhereIsAskedTwice(t *testing.T) {
	b := newBrowser(t, start(t))
	b.logIn("amy", "/portal/")
	jar := b.http.Jar
	b.http.Jar = nil
	_, body := b.ask(http.MethodGet, "/portal/", "Sec-Fetch-Site", "cross-site", "Accept", "text/html")
	if !strings.Contains(body, `content="0; url=/portal/?b=1"`) {
		t.Fatalf("a link from elsewhere shows %s", body)
	}
	b.http.Jar = jar
	if _, body := b.open("/portal/?b=1"); !strings.Contains(body, `id="app"`) {
		t.Errorf("the second time it shows %s", body)
	}
}

func TestTheDemoProviderIsWhereDemoClientsAre(t *testing.T) {
	for name, environ := range map[string][]string{
		"clients of its own":                {clientsFile(t, "a secret")},
		"a public URL that is no safe one":  {"HUB_PUBLIC_URL=http://hub.test"},
		"an outside provider of all tokens": {"HUB_ISSUER_URL=http://127.0.0.1:1"},
	} {
		b := newBrowser(t, start(t, environ...))
		for _, path := range []string{"/portal/", "/portal/login", "/portal/me", "/demo/oidc/authorize", "/demo/oidc/.well-known/openid-configuration", "/demo/client"} {
			if resp, body := b.open(path); resp.StatusCode != http.StatusNotFound {
				t.Errorf("%s: %s answers %s %s", name, path, resp.Status, body)
			}
		}
		if resp, _ := b.open("/"); resp.StatusCode != http.StatusOK || resp.Request.URL.Path != "/docs" {
			t.Errorf("%s: / leads to %s, %s", name, resp.Request.URL, resp.Status)
		}
	}
}

// TestBearersOfDemoUsers has the access token of a demo user, which never reaches a browser.
func TestBearersOfDemoUsers(t *testing.T) {
	hub := start(t)
	raw := demoToken(t, hub, "carla", "access_token")
	b := newBrowser(t, hub)
	resp, body := b.ask(http.MethodGet, "/portal/me", "Authorization", "Bearer "+raw)
	want := `{"code":"0","msg":"ok","data":{"username":"carla","userId":"carla","name":"Carla","email":"carla@hub.example",` +
		`"dept":"company","roles":["managers","staff"],` +
		`"permissions":["apps","content","directory","messages","todos"],"sessionExpiresAt":null}}` + "\n"
	if resp.StatusCode != http.StatusOK || body != want {
		t.Errorf("%s %s", resp.Status, body)
	}
	for status, request := range map[int][2]string{
		http.StatusForbidden:    {http.MethodPost, "/portal/logout"},
		http.StatusUnauthorized: {http.MethodGet, "/portal/me"},
	} {
		token := raw
		if status == http.StatusUnauthorized {
			token = demoToken(t, hub, "carla", "id_token")
		}
		if resp, body := b.ask(request[0], request[1], "Authorization", "Bearer "+token); resp.StatusCode != status {
			t.Errorf("%v: %s %s, want %d", request, resp.Status, body, status)
		}
	}
}

// demoToken logs a demo user in as a client of her own would.
func demoToken(t *testing.T, hub *allinone.Hub, user, kind string) string {
	t.Helper()
	const verifier = "0123456789012345678901234567890123456789012"
	const challenge = "_RpfHqw8pAZIomzVUE7sjRmHSM543WVdC4o-Kc4_3C0"
	b := newBrowser(t, hub)
	b.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	callback := hub.URL() + "/portal/callback"
	resp, body := b.ask(http.MethodGet, "/demo/oidc/authorize?"+url.Values{
		"response_type": {"code"}, "client_id": {"hub-portal"}, "redirect_uri": {callback}, "scope": {"openid"}, "nonce": {"n"},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"}, "user": {user},
	}.Encode())
	back, err := resp.Location()
	if err != nil {
		t.Fatalf("%s %s", resp.Status, body)
	}
	answer, err := http.PostForm(hub.URL()+"/demo/oidc/token", url.Values{
		"grant_type": {"authorization_code"}, "client_id": {"hub-portal"}, "redirect_uri": {callback},
		"code": {back.Query().Get("code")}, "code_verifier": {verifier},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var tokens map[string]any
	if err := json.NewDecoder(answer.Body).Decode(&tokens); err != nil || tokens[kind] == nil {
		t.Fatalf("%s, %v, %v", answer.Status, tokens, err)
	}
	return tokens[kind].(string)
}

// TestAPageHearsOfItsUser has what the page of the portal asks for: the count, and a stream that ends with the
// session.
func TestAPageHearsOfItsUser(t *testing.T) {
	hub := start(t)
	b := newBrowser(t, hub)
	b.logIn("amy", "/portal/")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, hub.URL()+"/message-hub/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	stream, err := b.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Body.Close() }()
	lines := bufio.NewScanner(stream.Body)
	if !lines.Scan() || stream.StatusCode != http.StatusOK {
		t.Fatalf("the stream: %s", stream.Status)
	}
	push, err := http.NewRequestWithContext(t.Context(), http.MethodPost, hub.URL()+"/message-hub/messages",
		strings.NewReader(`{"sourceMessageId":"m-1","targetUsernames":["amy"],"title":"Hello","content":"c"}`))
	if err != nil {
		t.Fatal(err)
	}
	push.Header.Set("Authorization", "Bearer "+token(t, hub, "erp"))
	if resp, err := http.DefaultClient.Do(push); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("push: %v, %v", resp, err)
	}
	for lines.Scan() && lines.Text() != "event: message" {
	}
	if _, body := b.ask(http.MethodGet, "/message-hub/unread-count"); body != `{"code":"0","msg":"ok","data":1}`+"\n" {
		t.Errorf("after the event the count is %s", body)
	}
	if resp, _ := b.ask(http.MethodPost, "/portal/logout"); resp.StatusCode != http.StatusOK {
		t.Errorf("logout: %s", resp.Status)
	}
	for lines.Scan() {
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream ends with %v", err)
	}
}
