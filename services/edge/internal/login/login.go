// Package login logs people in at an OpenID Connect provider: the authorization code flow with PKCE, by the
// rules of RFC 9700 and of the draft for browser-based apps, as a back end for the browser. The provider's
// tokens never leave this package.
package login

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"example.com/hub/pkg/auth/token"
	"example.com/hub/services/edge/internal/origin"
	"example.com/hub/services/edge/internal/pace"
	"example.com/hub/services/edge/internal/page"
	"example.com/hub/services/edge/internal/provider"
)

// Paths of the login.
const (
	PathLogin    = "/portal/login"
	PathCallback = "/portal/callback"
	PathLogout   = "/portal/logout"
)

const (
	// perMinute logins, and as many callbacks, of an address are served.
	perMinute = 20
	// maxExchanges bounds the codes that are exchanged at one time.
	maxExchanges = 64
)

// Sealer seals what the browser keeps during a login.
type Sealer interface {
	// Seal gives the JSON of v as a text for Open with the same purpose.
	Seal(purpose string, v any) (string, error)
	// Open decodes what Seal made of a value for the same purpose.
	Open(purpose, text string, into any) error
}

// People are those who have logged in.
type People interface {
	// LogIn notes the login of a person. A fault of kind Forbidden says why she may not: ErrOtherSubject where
	// somebody else has her username.
	LogIn(ctx context.Context, who token.Identity) error
}

// ErrOtherSubject is the cause of a refused login: the username is that of a person with another subject.
var ErrOtherSubject = errors.New("the username belongs to another subject")

// Sessions begins and ends sessions.
type Sessions interface {
	// Begin begins a session of a person with a new id, sets its cookie, and ends the session of the cookie
	// that came with the request.
	Begin(w http.ResponseWriter, r *http.Request, who token.Identity) error
}

// Deps are what a login is made of.
type Deps struct {
	Config Config
	// PublicURL is that of Hub, without a slash at the end. With https the cookie is bound to the host.
	PublicURL string
	// Issuer is the provider.
	Issuer string
	// Claims say where ID tokens hold who somebody is.
	Claims token.UserClaims
	// Keys are those of the provider.
	Keys oidc.KeySet
	// Transport makes the requests to the provider; nil means one of its own.
	Transport http.RoundTripper
	Sealer    Sealer
	People    People
	Sessions  Sessions
	// RemoteAddr gives the address of whoever sent a request; nil means that of the connection.
	RemoteAddr func(*http.Request) string
	// Clock gives the time; nil means time.Now.
	Clock func() time.Time
	// Logger is slog.Default() when nil.
	Logger *slog.Logger
}

// Login answers the paths of the login.
type Login struct {
	publicURL string
	public    *url.URL
	secure    bool
	provider  *exchanger
	sealer    Sealer
	people    People
	sessions  Sessions
	address   func(*http.Request) string
	clock     func() time.Time
	logger    *slog.Logger

	exchanges chan struct{} // holds one for each exchange under way

	mu      sync.Mutex
	buckets pace.Buckets[visit]
}

// visit is what requests are counted by.
type visit struct{ path, address string }

// New makes a login. It does not wait for the provider. Close must be called.
func New(d Deps) (*Login, error) {
	if d.Clock == nil {
		d.Clock = time.Now
	}
	if d.Logger == nil {
		d.Logger = slog.Default()
	}
	if d.RemoteAddr == nil {
		d.RemoteAddr = func(r *http.Request) string { return r.RemoteAddr }
	}
	public, err := url.Parse(d.PublicURL)
	if err != nil {
		return nil, err //nolint:wrapcheck // the settings were checked
	}
	e, err := newExchanger(d)
	if err != nil {
		return nil, err
	}
	return &Login{
		publicURL: d.PublicURL, public: public, secure: public.Scheme == "https",
		provider: e, sealer: d.Sealer, people: d.People, sessions: d.Sessions,
		address: d.RemoteAddr, clock: d.Clock, logger: d.Logger,
		exchanges: make(chan struct{}, maxExchanges),
		buckets:   pace.New[visit](perMinute, time.Minute/perMinute),
	}, nil
}

// Close ends the connections to the provider that are kept.
func (l *Login) Close() { l.provider.client.CloseIdleConnections() }

// ServeLogin answers PathLogin: it sends the browser to the provider.
func (l *Login) ServeLogin(w http.ResponseWriter, r *http.Request) {
	if !l.admit(w, r, PathLogin) || l.elsewhere(w, r) {
		return
	}
	meta, err := l.provider.metadata.Find(r.Context())
	if err != nil {
		l.away(w, r, err)
		return
	}
	p := newPending(l.clock(), returnTo(r))
	sealed, err := l.sealer.Seal(purpose, p)
	if err != nil {
		l.broken(w, r, err)
		return
	}
	http.SetCookie(w, l.cookie(sealed, int(pendingTime.Seconds())))
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, l.provider.address(meta, p), http.StatusSeeOther)
}

// returnTo is where the request wants to come back to.
func returnTo(r *http.Request) string {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if values := q["returnTo"]; err == nil && len(values) == 1 {
		return returnable(values[0])
	}
	return Home
}

// Ask answers a request for a page by somebody without a session: it sends her to the login, and after it
// back to the page.
//
// A browser that comes from another site does not send a cookie with SameSite=Strict, also when it has one.
// So it is sent to the same page once more, as a step of our own (the parameter b), and only then to the
// login.
func (l *Login) Ask(w http.ResponseWriter, r *http.Request) {
	if l.elsewhere(w, r) {
		return
	}
	query, again := bouncedFrom(r.URL.RawQuery)
	if !again && fromElsewhere(r) {
		page.Write(w, http.StatusOK, page.Page{Title: "One moment", Refresh: address(r.URL, join(query, bounced))})
		return
	}
	http.Redirect(w, r, PathLogin+"?returnTo="+url.QueryEscape(address(r.URL, query)), http.StatusSeeOther)
}

// bounced marks a request that has been sent to itself.
const bounced = "b=1"

func bouncedFrom(query string) (rest string, again bool) {
	if query == bounced {
		return "", true
	}
	return strings.CutSuffix(query, "&"+bounced)
}

func join(query, more string) string {
	if query == "" {
		return more
	}
	return query + "&" + more
}

// address is the path of a URL with another query.
func address(u *url.URL, query string) string {
	if query == "" {
		return u.EscapedPath()
	}
	return u.EscapedPath() + "?" + query
}

// fromElsewhere tells whether a navigation may come from another site. A browser that does not tell may.
func fromElsewhere(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "same-site", "none":
		return false
	}
	return true
}

// elsewhere sends a browser that calls Hub by another name to the public one, where its cookies belong. It
// has answered when it is true.
func (l *Login) elsewhere(w http.ResponseWriter, r *http.Request) bool {
	called := *l.public
	called.Host = r.Host
	if origin.Of(&called) == origin.Of(l.public) {
		return false
	}
	http.Redirect(w, r, l.publicURL+r.URL.RequestURI(), http.StatusSeeOther)
	return true
}

// admit takes a turn of the address. It has answered when it is false.
func (l *Login) admit(w http.ResponseWriter, r *http.Request, path string) bool {
	key, now := visit{path, pace.Network(l.address(r))}, l.clock()
	l.mu.Lock()
	wait := l.buckets.Wait(key, now)
	if wait == 0 {
		l.buckets.Take(key, now)
	}
	l.mu.Unlock()
	if wait == 0 {
		return true
	}
	setRetryAfter(w, wait)
	page.Write(w, http.StatusTooManyRequests, page.Page{
		Title: "Too many logins", Text: "Somebody at your address has tried this very often. Try it again in a minute.",
	})
	return false
}

// LogoutURL is where the provider ends its own session (OpenID Connect RP-Initiated Logout), or "" where it
// says of none.
func (l *Login) LogoutURL(ctx context.Context) string {
	meta, err := l.provider.metadata.Find(ctx)
	if err != nil {
		l.logger.WarnContext(ctx, "logout at the provider not offered", "error", provider.SafeError(err))
		return ""
	}
	return l.provider.logoutAddress(meta)
}
