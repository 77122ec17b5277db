// Package ticket makes the tickets that a jump takes along: by one an application learns who comes, for a
// minute and once. They are signed with keys of their own, of a type of their own, and for the application
// alone, so that none is good for anything at Hub.
package ticket

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.com/hub/pkg/telemetry"
	"example.com/hub/services/edge/internal/signing"
)

const (
	// PathKeys is where the keys are published.
	PathKeys = "/apps/jwks.json"
	// Param is the parameter of a query that has the ticket.
	Param = "ticket"
	// Type is the typ of tickets (RFC 8725, section 3.11).
	Type = "hub-jump+jwt"
	// Lifetime is how long a ticket is good.
	Lifetime = time.Minute
)

// Config are the settings of tickets.
type Config struct {
	KeysFile string `env:"HUB_TICKET_KEYS_FILE" help:"PEM file with RSA private keys for the tickets of jumps, of which the first signs and all are published; not those of HUB_SIGNING_KEYS_FILE; read again when it changes; empty: no app gets tickets"`
}

// Deps are what an Issuer is made of.
type Deps struct {
	Keys *signing.Keys
	// Issuer is the iss of tickets: the public URL of Hub.
	Issuer string
	// Audiences are those that Hub itself accepts, in tokens of any kind.
	Audiences []string
	// Others are the keys of other tokens; none of them may be among Keys.
	Others []jose.JSONWebKey
	// Clock gives the time; nil means time.Now.
	Clock func() time.Time
}

// Issuer makes tickets.
type Issuer struct {
	Deps
	made atomic.Uint64
}

// New makes an Issuer. The error names the setting.
func New(d Deps) (*Issuer, error) {
	for _, key := range d.Keys.Public() {
		if slices.ContainsFunc(d.Others, func(other jose.JSONWebKey) bool { return other.KeyID == key.KeyID }) {
			return nil, errors.New("HUB_TICKET_KEYS_FILE: must have keys of its own, not those of HUB_SIGNING_KEYS_FILE")
		}
	}
	if d.Clock == nil {
		d.Clock = time.Now
	}
	return &Issuer{Deps: d}, nil
}

// ticket is the content of a ticket.
type ticket struct {
	Issuer   string `json:"iss"`
	Audience string `json:"aud"`
	Subject  string `json:"sub"`
	ID       string `json:"jti"`
	IssuedAt int64  `json:"iat"`
	Expires  int64  `json:"exp"`
}

// ErrAudience refuses a ticket that Hub itself might take for a token.
var ErrAudience = errors.New("the id of the app is an audience of Hub itself")

// Make makes a ticket for an app about a user.
func (i *Issuer) Make(appID, username string) (text string, expires time.Time, err error) {
	if slices.Contains(i.Audiences, appID) {
		return "", time.Time{}, ErrAudience
	}
	now := i.Clock().Truncate(time.Second)
	expires = now.Add(Lifetime)
	text, err = i.Keys.Sign(ticket{
		Issuer: i.Issuer, Audience: appID, Subject: username, ID: rand.Text(), IssuedAt: now.Unix(), Expires: expires.Unix(),
	})
	if err != nil {
		return "", time.Time{}, fmt.Errorf("make ticket: %w", err)
	}
	i.made.Add(1)
	return text, expires, nil
}

// Measure adds the metric of tickets.
func (i *Issuer) Measure(r *telemetry.Registry) {
	telemetry.Read(
		r, i.made.Load,
		telemetry.Counter("hub_edge_tickets_total", "Tickets that were made for jumps into apps.", func(made uint64) uint64 { return made }),
	)
}

// Attach puts a ticket at the end of the query of an address, which has no fragment.
func Attach(address, text string) string {
	join := "?"
	switch before, query, found := strings.Cut(address, "?"); {
	case found && query == "":
		address = before
	case found:
		join = "&"
	}
	return address + join + Param + "=" + text
}

// ServeKeys answers PathKeys.
func (i *Issuer) ServeKeys(w http.ResponseWriter, r *http.Request) { i.Keys.Serve(w, r) }
