package portal

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"testing"
)

// People are those who can log in at a target. The suite needs three of them, and leaves messages in their
// inboxes.
type People interface {
	// Names are the usernames of two people.
	Names() (one, other string)
	// Admin is the username of a person with the role hub-admin.
	Admin() string
	// Answer logs a person in at the provider's address to which Hub sends her browser, and gives the
	// address of Hub to which the provider sends it back.
	Answer(t *testing.T, address, username string) string
	// Token is an access token of a person with what HUB_USER_AUDIENCE and HUB_USER_SCOPE ask for.
	Token(t *testing.T, username string) string
}

// demo are the people of Hub's own demo provider.
type demo struct {
	base string
	http *http.Client
}

// Names implements People.
func (demo) Names() (string, string) { return "amy", "ben" }

// Admin implements People.
func (demo) Admin() string { return "carla" }

// Answer implements People: it follows the link of a person on the page to choose from.
func (d demo) Answer(t *testing.T, address, username string) string {
	t.Helper()
	resp, err := d.http.Get(address + "&user=" + username)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusSeeOther {
		t.Fatalf("the demo provider answers %s", resp.Status)
	}
	return resp.Header.Get("Location")
}

// challenge and verifier are the pair of RFC 7636 appendix B.
const (
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
)

// Token implements People: the demo provider gives one for a code.
func (d demo) Token(t *testing.T, username string) string {
	t.Helper()
	const client = "hub-portal"
	callback := d.base + "/portal/callback"
	back := d.Answer(t, d.base+"/demo/oidc/authorize?"+url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {callback}, "scope": {"openid profile"},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}.Encode(), username)
	u, err := url.Parse(back)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := d.http.PostForm(d.base+"/demo/oidc/token", url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client}, "redirect_uri": {callback},
		"code": {u.Query().Get("code")}, "code_verifier": {verifier},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Token == "" {
		t.Fatalf("the demo provider answers %s", resp.Status)
	}
	return answer.Token
}
