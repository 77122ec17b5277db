package login

import (
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	"golang.org/x/oauth2"
)

const (
	// purpose is that of the key that seals the cookie.
	purpose = "login"
	// pendingTime is how long a login may take at the provider.
	pendingTime = 10 * time.Minute
)

// pending is a login that waits for the provider. The browser keeps it, sealed.
type pending struct {
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"`
	ReturnTo string    `json:"return_to"`
	Ends     time.Time `json:"ends"`
}

func newPending(now time.Time, returnTo string) pending {
	return pending{
		State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(),
		ReturnTo: returnTo, Ends: now.Add(pendingTime).UTC(),
	}
}

// cookieName is bound to this host by its prefix, which only https can have (RFC 6265bis).
func (l *Login) cookieName() string {
	if l.secure {
		return "__Host-hub-login"
	}
	return "hub-login"
}

// cookie is sent along the redirect from the provider, which SameSite=Strict would not be. An age below 0
// clears it.
func (l *Login) cookie(value string, age int) *http.Cookie {
	return &http.Cookie{
		Name: l.cookieName(), Value: value, Path: "/", MaxAge: age,
		Secure: l.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
}

// take gives the login of a request and clears its cookie, so that its state is used up.
func (l *Login) take(w http.ResponseWriter, r *http.Request) (pending, error) {
	http.SetCookie(w, l.cookie("", -1))
	cookies := r.CookiesNamed(l.cookieName())
	if len(cookies) != 1 {
		return pending{}, errors.New("there is no login under way in this browser")
	}
	var p pending
	if err := l.sealer.Open(purpose, cookies[0].Value, &p); err != nil {
		return pending{}, err //nolint:wrapcheck // it says all
	}
	if p.State == "" || !l.clock().Before(p.Ends) {
		return pending{}, errors.New("the login took too long")
	}
	return p, nil
}
