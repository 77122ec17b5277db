// Package contract checks a running Hub against its contract, from the outside and over HTTP only.
//
// It imports no Hub code, so anyone can run it against any deployment: Run with a Target, or the
// test TestDeployment with HUB_TARGET_URL set. Each case is named after the sentence that it checks;
// docs/contract.md lists those that settle what the contract leaves open. Every run uses fresh users
// and ids, so a database may be used again.
package contract

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

// Credentials are a registered client of the target.
type Credentials struct {
	// ID is the client id, which becomes the source of whatever the client writes.
	ID string
	// Secret proves it at the token endpoint.
	Secret string
}

// Target is a deployment under test.
type Target struct {
	// BaseURL is where the contract's paths start, for example http://127.0.0.1:8080.
	BaseURL string
	// Client and Other are two different clients with the scope client.
	Client, Other Credentials
	// Limited is a client without the scope client.
	Limited Credentials
	// Feed is a client with the scope directory and no other; the zero value is hr, of the demo clients.
	Feed Credentials
	// LimitedScope is a scope that Limited may ask for.
	LimitedScope string
	// TokenPath is the token endpoint; empty means the contract's path.
	TokenPath string
	// Authorities are those of an https target's certificate; nil means those of the system.
	Authorities *x509.CertPool
	// Settings are those that the target runs with; expectations follow them.
	Settings Settings
}

// Settings are a deployment's settings that change what a caller sees.
type Settings struct {
	// HeartbeatInterval is the time between two heartbeats of a stream (HUB_HEARTBEAT_INTERVAL).
	HeartbeatInterval time.Duration
	// MaxPageSize is what larger page sizes are cut to (HUB_MAX_PAGE_SIZE).
	MaxPageSize int
	// MaxTargets is the largest number of targets of one push (HUB_MAX_TARGETS).
	MaxTargets int
	// MaxBody is the largest request body in bytes (HUB_MAX_BODY).
	MaxBody int
	// ErrorStatus200 says that failures other than 401 and 403 are answered with the status 200
	// (HUB_ERROR_STATUS=200).
	ErrorStatus200 bool
	// TodoOwnership is OwnershipShared or OwnershipSource (HUB_TODO_OWNERSHIP). Neither Client nor
	// Other may be an operator.
	TodoOwnership string
	// TimeZone is the zone of createTime and modifyTime (HUB_TIME_ZONE).
	TimeZone *time.Location
	// URLSchemes, when not empty, are the only URL schemes allowed, in lower case (HUB_URL_SCHEMES).
	URLSchemes []string
}

// The values of Settings.TodoOwnership.
const (
	// OwnershipShared lets every client change every item.
	OwnershipShared = "shared"
	// OwnershipSource lets only the creating client change an item.
	OwnershipSource = "source"
)

// DefaultTokenPath is the contract's token endpoint.
const DefaultTokenPath = "/api/login/oauth/token"

// DefaultSettings are those of a deployment that sets nothing.
func DefaultSettings() Settings {
	return Settings{
		HeartbeatInterval: 15 * time.Second,
		MaxPageSize:       200,
		MaxTargets:        10_000,
		MaxBody:           4 << 20,
		TodoOwnership:     OwnershipShared,
		TimeZone:          time.UTC,
	}
}

// Run checks every case against the target.
func Run(t *testing.T, target Target) {
	t.Helper()
	run(t, target, areas())
}

// RunErrorStatus200 checks what HUB_ERROR_STATUS=200 changes; the target must run with it.
func RunErrorStatus200(t *testing.T, target Target) {
	t.Helper()
	if !target.Settings.ErrorStatus200 {
		t.Fatal("the target's settings do not say ErrorStatus200")
	}
	run(t, target, only("status", "auth"))
}

// RunSourceOwnership checks what HUB_TODO_OWNERSHIP=source changes; the target must run with it.
func RunSourceOwnership(t *testing.T, target Target) {
	t.Helper()
	if target.Settings.TodoOwnership != OwnershipSource {
		t.Fatalf("the target's settings do not say TodoOwnership %q", OwnershipSource)
	}
	run(t, target, only("ownership"))
}

// RunTimeZone checks what HUB_TIME_ZONE changes; the target must run with another zone than UTC.
func RunTimeZone(t *testing.T, target Target) {
	t.Helper()
	zone := target.Settings.TimeZone
	if zone == nil {
		t.Fatal("the target's settings have no TimeZone")
	}
	if _, offset := time.Now().In(zone).Zone(); offset == 0 {
		t.Fatalf("the zone %s is not apart from UTC now", zone)
	}
	run(t, target, only("times"))
}

// RunURLSchemes checks what HUB_URL_SCHEMES changes; the target must run with it.
func RunURLSchemes(t *testing.T, target Target) {
	t.Helper()
	if len(target.Settings.URLSchemes) == 0 {
		t.Fatal("the target's settings have no URLSchemes")
	}
	run(t, target, only("urls"))
}

// RunOverTLS checks what the way to the target may change, since connections are taken over, cut, or used
// for what no HTTP client sends; the target must be an https one.
func RunOverTLS(t *testing.T, target Target) {
	t.Helper()
	if !strings.HasPrefix(target.BaseURL, "https://") {
		t.Fatalf("the target's address %q is not of TLS", target.BaseURL)
	}
	run(t, target, only("auth", "stream", "resume", "lengths", "paths"))
}

// check names the first thing that makes a target unusable.
func (target Target) check() error {
	u, err := url.Parse(target.BaseURL)
	if err != nil {
		return fmt.Errorf("parse BaseURL: %w", err)
	}
	set := target.Settings
	switch {
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return fmt.Errorf("the field BaseURL %q is not an http or https URL", target.BaseURL)
	case target.Client.ID == "" || target.Other.ID == "" || target.Client.ID == target.Other.ID:
		return fmt.Errorf("the fields Client and Other must be two clients, got %q and %q", target.Client.ID, target.Other.ID)
	case target.Limited.ID == "":
		return errors.New("the field Limited must be a client without the scope client")
	case set.HeartbeatInterval <= 0 || set.MaxPageSize < 1 || set.MaxTargets < 1 || set.MaxBody < 1:
		return fmt.Errorf("the field Settings must name the heartbeat interval and the limits: %+v", set)
	case set.TodoOwnership != OwnershipShared && set.TodoOwnership != OwnershipSource:
		return fmt.Errorf("the field Settings.TodoOwnership %q is neither shared nor source", set.TodoOwnership)
	case set.TimeZone == nil:
		return errors.New("the field Settings.TimeZone must be set")
	}
	return nil
}

// tokenPath is the path of the token endpoint.
func (target Target) tokenPath() string {
	if target.TokenPath == "" {
		return DefaultTokenPath
	}
	return "/" + strings.TrimPrefix(target.TokenPath, "/")
}
