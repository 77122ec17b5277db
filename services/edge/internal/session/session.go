// Package session keeps users logged in: a sealed cookie that is good for five minutes by itself, and a row
// in a store that tells every few minutes whether the session still lives.
//
// A request whose cookie is older than half of that renews it. So most requests ask nobody, a session that
// was ended is refused within five minutes wherever nobody heard of the end, and one whose store is away
// goes on for half of them at least.
package session

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/origin"
	"example.com/hub/services/edge/internal/sealed"
)

const (
	// Validity is for how long a cookie is good by itself.
	Validity = 5 * time.Minute
	// renewFrom is the age from which requests renew a cookie.
	renewFrom = Validity / 2
	// storeTimeout bounds a question to the store.
	storeTimeout = 2 * time.Second
	// storePause is for how long a store that did not answer is left alone by cookies that are still good,
	// so that their requests do not wait for it one after the other.
	storePause = time.Second
)

// Config are the settings of sessions.
type Config struct {
	Idle     time.Duration `env:"HUB_SESSION_IDLE"     envDefault:"30m" help:"time without a request after which a user's session ends, 5m to 24h"`
	Lifetime time.Duration `env:"HUB_SESSION_LIFETIME" envDefault:"8h"  help:"time after which a user's session ends in any case, HUB_SESSION_IDLE to 720h"`
}

// Validate tells all faults of the settings, one in a line.
func (c Config) Validate() error {
	var faults []error
	if c.Idle < Validity || c.Idle > 24*time.Hour {
		faults = append(faults, fmt.Errorf("HUB_SESSION_IDLE: must be from 5m to 24h, not %s", c.Idle))
	}
	if c.Lifetime < c.Idle || c.Lifetime > 720*time.Hour {
		faults = append(faults, fmt.Errorf("HUB_SESSION_LIFETIME: must be from HUB_SESSION_IDLE to 720h, not %s", c.Lifetime))
	}
	return errors.Join(faults...)
}

// Deps is what Sessions are made of.
type Deps struct {
	Config Config
	// PublicURL is where browsers reach Hub: https, or http on loopback.
	PublicURL string
	// Keys seal the cookies. Required.
	Keys *sealed.Keys
	// Store has the rows. Required.
	Store Store
	// Bus takes and brings the ends of sessions. Required.
	Bus Bus
	// Logger is slog.Default() when nil.
	Logger *slog.Logger
	// Clock is time.Now when nil.
	Clock func() time.Time
}

// Bus is what edges tell each other by.
type Bus interface {
	bus.Publisher
	bus.Subscriber
}

// Sessions are those of the users of one edge.
type Sessions struct {
	deps   Deps
	cookie cookieForm
	origin string // that of PublicURL
	ended  *ended
	asking singleflight.Group
	away   atomic.Bool  // the store, when it was last asked
	pause  atomic.Int64 // in milliseconds since 1970, the end of a storePause
	stats  counters

	mu       sync.Mutex
	watchers []func(user, session string)
}

// New makes the sessions of an edge. The error names the setting at fault.
func New(d Deps) (*Sessions, error) {
	if d.Keys == nil || d.Store == nil || d.Bus == nil {
		return nil, errors.New("session: a required dependency is missing")
	}
	if err := d.Config.Validate(); err != nil {
		return nil, err
	}
	if err := CheckPublicURL(d.PublicURL); err != nil {
		return nil, err
	}
	public, err := url.Parse(d.PublicURL)
	if err != nil {
		return nil, err //nolint:wrapcheck // it was parsed before
	}
	form := cookieForm{name: "hub-session"}
	if public.Scheme == "https" {
		form = cookieForm{name: "__Host-hub-session", secure: true}
	}
	if d.Logger == nil {
		d.Logger = slog.Default()
	}
	if d.Clock == nil {
		d.Clock = time.Now
	}
	return &Sessions{
		deps: d, cookie: form, ended: newEnded(),
		origin: origin.Of(public),
	}, nil
}

// CheckPublicURL tells why cookies cannot go to an address: it must be https, or http on this machine.
func CheckPublicURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && (u.Scheme != "http" || !origin.Loopback(u.Hostname())) || u.Host == "" {
		return fmt.Errorf("HUB_PUBLIC_URL: must be https where users log in, or http on loopback, not %q", text)
	}
	return nil
}

// Session is a user's login, as a request shows it.
type Session struct {
	// ID stands for the session wherever it is written down: the hash of the secret in the cookie.
	ID string
	// Username is the user's, and Name what people call her.
	Username, Name string
	// Permissions are what the user may do beyond her own things.
	Permissions []string
	// Ends is when the session ends in any case.
	Ends time.Time
}
