package demoidp

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/hub/services/edge/internal/page"
)

// ServeAuthorize answers PathAuthorize (OpenID Connect Core section 3.1.2): with a page to choose a person
// from, whose links are the same request with the parameter user, and that with a redirect to the client.
func (p *Provider) ServeAuthorize(w http.ResponseWriter, r *http.Request) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	// Without a client and an address that are known, nobody is sent anywhere (RFC 6749 section 4.1.2.1).
	if err != nil || repeated(q) || q.Get("client_id") != ClientID || q.Get("redirect_uri") != p.redirectURI {
		page.Write(w, http.StatusBadRequest, page.Page{
			Title: "This login cannot begin", Text: "The demo provider does not know who asks for it.",
			Links: []page.Link{{Href: "/portal/", Text: "To the portal"}},
		})
		return
	}
	if fault := faultOf(q); fault != "" {
		p.answer(w, r, q, "error", fault)
		return
	}
	u, ok := userOf(q.Get("user"))
	if !ok {
		p.choose(w, q)
		return
	}
	p.answer(w, r, q, "code", p.codes.add(grant{
		user: u, nonce: q.Get("nonce"), challenge: q.Get("code_challenge"), scope: q.Get("scope"),
	}))
}

func repeated(q url.Values) bool {
	for _, values := range q {
		if len(values) > 1 {
			return true
		}
	}
	return false
}

// faultOf gives the error code for a client's request, or "".
func faultOf(q url.Values) string {
	challenge, err := base64.RawURLEncoding.DecodeString(q.Get("code_challenge"))
	switch {
	case q.Get("response_type") != "code":
		return "unsupported_response_type"
	case q.Get("code_challenge_method") != "S256" || err != nil || len(challenge) != sha256.Size:
		return "invalid_request"
	case !slices.Contains(strings.Fields(q.Get("scope")), "openid"):
		return "invalid_scope"
	case q.Get("prompt") == "none":
		return "login_required"
	}
	return ""
}

// answer sends the browser back to the client, with the iss of RFC 9207.
func (p *Provider) answer(w http.ResponseWriter, r *http.Request, q url.Values, name, value string) {
	back := url.Values{name: {value}, "iss": {p.issuer}}
	if state := q.Get("state"); state != "" {
		back.Set("state", state)
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, p.redirectURI+"?"+back.Encode(), http.StatusSeeOther)
}

func (p *Provider) choose(w http.ResponseWriter, q url.Values) {
	choice := page.Page{Title: "Who are you?", Text: "These people are for trying Hub out, and need no password."}
	for _, u := range users {
		q.Set("user", u.username)
		choice.Links = append(choice.Links, page.Link{Href: PathAuthorize + "?" + q.Encode(), Text: u.name, Note: u.note})
	}
	page.Write(w, http.StatusOK, choice)
}
