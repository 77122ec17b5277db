package shape_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"testing"
)

// TestDemoUsersAtEachEdge lets a user in at one edge, and wants both to take her token and her cookie.
func TestDemoUsersAtEachEdge(t *testing.T) {
	t.Parallel()
	s := start(t)
	first, second := "http://"+s.edges[0].Public, "http://"+s.edges[1].Public
	token := demoToken(t, first, "amy")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	page, _ := ask(t, browser, second+"/portal/login", nil) // leads to the first edge and its provider
	if resp, text := ask(t, browser, page.Request.URL.String()+"&user=amy", nil); resp.StatusCode != http.StatusOK || resp.Request.URL.Path != "/portal/callback" {
		t.Fatalf("the login ended at %s: %s %s", resp.Request.URL, resp.Status, text)
	}
	for _, base := range []string{first, second} {
		for _, path := range []string{"/todo-hub/todos", "/message-hub/inbox", "/portal/me"} {
			bearer := http.Header{"Authorization": {"Bearer " + token}}
			if resp, text := ask(t, http.DefaultClient, base+path, bearer); resp.StatusCode != http.StatusOK {
				t.Errorf("%s%s with a token: %s %s", base, path, resp.Status, text)
			}
			own := http.Header{"Sec-Fetch-Site": {"same-origin"}}
			if resp, text := ask(t, browser, base+path, own); resp.StatusCode != http.StatusOK {
				t.Errorf("%s%s with a session: %s %s", base, path, resp.Status, text)
			}
		}
	}
}

// demoToken gets an access token of amy from the provider of an edge.
func demoToken(t *testing.T, edge, user string) string {
	t.Helper()
	verifier := rand.Text() + rand.Text()
	challenge := sha256.Sum256([]byte(verifier))
	callback := edge + "/portal/callback"
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, text := ask(t, browser, edge+"/demo/oidc/authorize?"+url.Values{
		"response_type": {"code"}, "client_id": {"hub-portal"}, "redirect_uri": {callback}, "scope": {"openid"}, "user": {user},
		"code_challenge_method": {"S256"}, "code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])},
	}.Encode(), nil)
	back, err := resp.Location()
	if err != nil {
		t.Fatalf("%v: %s %s", err, resp.Status, text)
	}
	resp, err = http.PostForm(edge+"/demo/oidc/token", url.Values{
		"grant_type": {"authorization_code"}, "client_id": {"hub-portal"}, "redirect_uri": {callback},
		"code": {back.Query().Get("code")}, "code_verifier": {verifier},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.Token == "" {
		t.Fatalf("no token: %s %v", resp.Status, err)
	}
	return answer.Token
}

// ask makes a GET request with these headers.
func ask(t *testing.T, client *http.Client, address string, header http.Header) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}
