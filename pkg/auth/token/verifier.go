// Package token verifies signed JWT access tokens: Verifier checks form, signature, claims and times, and
// remembers what it has verified. Settings say whose tokens count.
package token

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	lru "github.com/hashicorp/golang-lru/v2"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/fault"
)

const (
	// maxTokenBytes bounds what is parsed at all; it is above what fits into one HTTP header line of
	// common proxies.
	maxTokenBytes = 16 << 10
	// leeway forgives clocks that differ, on exp, nbf and iat.
	leeway = time.Minute
	// cacheTime ends the trust in a token whose key was removed. With the longest refresh interval
	// of keys.Remote it stays below 10 minutes.
	cacheTime = 4 * time.Minute
	// defaultCacheSize is about 10 MB of tokens of the usual size.
	defaultCacheSize = 10_000
)

// TypeAccess is the typ of JWT access tokens (RFC 9068 section 2.1).
const TypeAccess = "at+jwt"

// Config says which tokens a verifier accepts.
type Config struct {
	// Issuer is the exact value of the claim iss. No token passes while it is empty.
	Issuer string
	// Audience must be among the values of the claim aud; empty means that aud is not looked at.
	Audience string
	// ClientIDClaims are the claims that may name the client; the first one that a token has counts.
	// Nil means client_id, azp.
	ClientIDClaims []string
	// ScopeClaims are the claims whose scopes count, all together. Nil means scope, scp.
	ScopeClaims []string
	// RequireType is the typ that a token's header must have, or empty for providers that set none.
	// ID tokens and other tokens that are not for access are refused in any case.
	RequireType string
	// Users says that there are users: then tokens of clients whose id is auth.Reserved are refused.
	Users bool
	// Keys checks the signature: keys.Local or keys.Remote.
	Keys oidc.KeySet
	// Clock is the time for exp, nbf and iat; nil means time.Now.
	Clock func() time.Time
	// CacheSize is the number of verified tokens to remember; 0 means 10,000.
	CacheSize int
}

// Verifier verifies signed JWT access tokens. Its principals are clients, unless NewUsers or NewShared made it.
type Verifier struct {
	cfg   Config
	cache *lru.Cache[string, verified]
	// read gives whom a token speaks for that is good otherwise. Its errors are for the log, but for faults of
	// kind Forbidden.
	read func(claims) (auth.Principal, error)

	hits, misses atomic.Uint64
}

// verified is a cached answer; until is when it must be found anew.
type verified struct {
	principal auth.Principal
	until     time.Time
}

// New makes a verifier of signed JWT access tokens. A verified token is remembered for some
// minutes, so Principal.Scopes is shared between calls and must not be changed.
func New(cfg Config) *Verifier {
	if cfg.ClientIDClaims == nil {
		cfg.ClientIDClaims = []string{"client_id", "azp"}
	}
	if cfg.ScopeClaims == nil {
		cfg.ScopeClaims = []string{"scope", "scp"}
	}
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	size := cfg.CacheSize
	if size <= 0 {
		size = defaultCacheSize
	}
	cache, err := lru.New[string, verified](size)
	if err != nil {
		panic(err) // only for a size below 1
	}
	v := &Verifier{cfg: cfg, cache: cache}
	v.read = v.client
	return v
}

// Issuer is the iss of the tokens.
func (v *Verifier) Issuer() string { return v.cfg.Issuer }

// Audience is one of the aud of the tokens, or empty where that is not looked at.
func (v *Verifier) Audience() string { return v.cfg.Audience }

// Verify implements auth.Verifier.
func (v *Verifier) Verify(ctx context.Context, raw string) (auth.Principal, error) {
	if len(raw) > maxTokenBytes {
		return auth.Principal{}, notValid(fmt.Errorf("token of %d bytes", len(raw)))
	}
	now := v.cfg.Clock()
	if p, ok := v.remembered(raw, now); ok {
		return p, nil
	}
	v.misses.Add(1)
	c, err := v.verify(ctx, raw)
	if err != nil {
		return auth.Principal{}, err
	}
	exp, err := checkTimes(c, now)
	if err != nil {
		return auth.Principal{}, err
	}
	p, err := v.read(c)
	if err != nil {
		if fault.KindOf(err) == fault.Forbidden {
			return auth.Principal{}, err
		}
		return auth.Principal{}, notValid(err)
	}
	p.Expires = exp
	until := now.Add(cacheTime)
	if end := exp.Add(leeway); end.Before(until) {
		until = end
	}
	// raw may be a part of a larger string, which must not be kept alive.
	v.cache.Add(strings.Clone(raw), verified{principal: p, until: until})
	return p, nil
}

// remembered gives whom a token speaks for that was verified of late.
func (v *Verifier) remembered(raw string, now time.Time) (p auth.Principal, ok bool) {
	hit, ok := v.cache.Get(raw)
	if !ok || !now.Before(hit.until) {
		return auth.Principal{}, false
	}
	v.hits.Add(1)
	return hit.principal, true
}

// verify checks form, signature, issuer, audience and kind of the token.
func (v *Verifier) verify(ctx context.Context, raw string) (claims, error) {
	if err := checkForm(raw, v.cfg.RequireType); err != nil {
		return nil, notValid(err)
	}
	set := &observedKeys{KeySet: v.cfg.Keys}
	token, err := oidc.NewVerifier(v.cfg.Issuer, set, &oidc.Config{
		ClientID:             v.cfg.Audience,
		SkipClientIDCheck:    v.cfg.Audience == "",
		SkipExpiryCheck:      true, // checkTimes does it, with a leeway
		SupportedSigningAlgs: keys.Algorithms(),
	}).Verify(ctx, raw)
	if err != nil {
		if set.err != nil && fault.KindOf(set.err) == fault.Unavailable {
			return nil, set.err
		}
		return nil, notValid(err)
	}
	var c claims
	if err := token.Claims(&c); err != nil {
		return nil, notValid(err)
	}
	if err := v.checkClaims(c); err != nil {
		return nil, notValid(err)
	}
	return c, nil
}

// checkClaims repeats go-oidc's checks on iss and aud with exact names, since go-oidc also takes
// "ISS" for "iss", and refuses what is no access token.
func (v *Verifier) checkClaims(c claims) error {
	if iss, ok := c.text("iss"); !ok || iss == "" || iss != v.cfg.Issuer {
		return errors.New("iss is not exactly the issuer")
	}
	if v.cfg.Audience != "" && !c.isFor(v.cfg.Audience) {
		return errors.New("aud does not name the audience exactly")
	}
	return c.checkKind()
}

// checkTimes checks exp, which is required, nbf and iat, and gives exp.
func checkTimes(c claims, now time.Time) (time.Time, error) {
	exp, ok, err := c.instant("exp")
	if err != nil {
		return time.Time{}, notValid(err)
	}
	if !ok {
		return time.Time{}, notValid(errors.New("no exp"))
	}
	if !now.Before(exp.Add(leeway)) {
		return time.Time{}, fault.New(fault.Unauthenticated, "the access token has expired")
	}
	for _, name := range []string{"nbf", "iat"} {
		from, ok, err := c.instant(name)
		if err != nil {
			return time.Time{}, notValid(err)
		}
		if ok && from.After(now.Add(leeway)) {
			return time.Time{}, notValid(fmt.Errorf("%s is in the future", name))
		}
	}
	return exp, nil
}

// client reads the client and its scopes.
func (v *Verifier) client(c claims) (auth.Principal, error) {
	var out auth.Principal
	for _, name := range v.cfg.ClientIDClaims {
		if _, present := c[name]; !present {
			continue
		}
		id, ok := c.text(name)
		if !ok || !auth.ValidClientID(id) || v.cfg.Users && auth.Reserved(id) {
			return auth.Principal{}, fmt.Errorf("%s is no client id", name)
		}
		out.Client = id
		break
	}
	if out.Client == "" {
		return auth.Principal{}, errors.New("no claim names the client")
	}
	out.Scopes, out.TokenID = v.scopes(c), c.tokenID()
	return out, nil
}

// scopes are those of all claims that may have some.
func (v *Verifier) scopes(c claims) (all []string) {
	for _, name := range v.cfg.ScopeClaims {
		all = append(all, c.scopes(name)...)
	}
	return all
}

// tokenID gives the jti for logs, or "".
func (c claims) tokenID() string {
	jti, _ := c.text("jti")
	if len(jti) > maxTokenIDBytes {
		return ""
	}
	return jti
}

// observedKeys remembers the error, whose kind go-oidc does not keep.
type observedKeys struct {
	oidc.KeySet
	err error
}

// VerifySignature implements oidc.KeySet.
func (k *observedKeys) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	var payload []byte
	payload, k.err = k.KeySet.VerifySignature(ctx, jwt)
	return payload, k.err
}

func notValid(cause error) error {
	return fault.Wrap(fault.Unauthenticated, "the access token is not valid", cause)
}
