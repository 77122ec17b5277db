package login

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"example.com/hub/pkg/auth/discovery"
	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/reload"
	"example.com/hub/services/edge/internal/provider"
)

const (
	// exchangeTimeout bounds the exchange of a code, with whatever has to be found for it.
	exchangeTimeout = 5 * time.Second
	// maxAnswer is the largest answer of a provider that is read, in bytes.
	maxAnswer = 1 << 20
)

// metadata are what the provider says of itself.
type metadata struct {
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	EndSession    string   `json:"end_session_endpoint"`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
	// NamesIssuer tells that answers to the browser have iss (RFC 9207).
	NamesIssuer bool `json:"authorization_response_iss_parameter_supported"`
}

// exchanger speaks with the provider.
type exchanger struct {
	cfg         Config
	issuer      string
	redirectURL string
	secret      *reload.Value[string] // nil without a file
	client      *http.Client
	metadata    *provider.Cached[metadata]
	verifier    token.IDTokens
}

func newExchanger(d Deps) (*exchanger, error) {
	e := &exchanger{
		cfg: d.Config, issuer: d.Issuer, redirectURL: d.PublicURL + PathCallback,
		client: provider.NewClient(d.Transport),
		verifier: token.IDTokens{
			Issuer: d.Issuer, ClientID: d.Config.ClientID, Claims: d.Claims, Keys: d.Keys, Clock: d.Clock,
		},
	}
	e.client.Transport = bounded{e.client.Transport}
	e.metadata = provider.NewCached(e.discover, d.Clock)
	if d.Config.SecretFile == "" {
		return e, nil
	}
	f := reload.File{Setting: "HUB_LOGIN_CLIENT_SECRET_FILE", Path: d.Config.SecretFile}
	var err error
	e.secret, err = reload.Open(reload.Deps[string]{
		Files: []reload.File{f},
		Parse: func(content [][]byte) (string, error) {
			secret := bytes.TrimSpace(content[0])
			if len(secret) == 0 {
				return "", fmt.Errorf("%s: %s is empty", f.Setting, f.Path)
			}
			return string(secret), nil
		},
		Clock: d.Clock, Logger: d.Logger,
	})
	return e, err //nolint:wrapcheck // it names the setting
}

// discover reads the provider's metadata (OpenID Connect Discovery section 4).
func (e *exchanger) discover(ctx context.Context) (metadata, error) {
	p, err := oidc.NewProvider(oidc.ClientContext(ctx, e.client), e.issuer)
	var mismatch *oidc.IssuerMismatchError
	switch {
	case errors.As(err, &mismatch):
		return metadata{}, fmt.Errorf("the document is of the issuer %q", mismatch.Discovered)
	case err != nil:
		return metadata{}, fmt.Errorf("discover the provider: %w", provider.SafeError(err))
	}
	var m metadata
	if err := p.Claims(&m); err != nil {
		return metadata{}, fmt.Errorf("decode the provider's metadata: %w", err)
	}
	for name, address := range map[string]string{"authorization_endpoint": m.Authorization, "token_endpoint": m.Token} {
		if err := e.checkEndpoint(address); err != nil {
			return metadata{}, fmt.Errorf("%s %w", name, err)
		}
	}
	if m.EndSession != "" && e.checkEndpoint(m.EndSession) != nil {
		m.EndSession = ""
	}
	return m, nil
}

// checkEndpoint keeps a provider of https from leading to http.
func (e *exchanger) checkEndpoint(address string) error {
	if err := discovery.CheckURL(address); err != nil {
		return err //nolint:wrapcheck // the caller names the endpoint
	}
	from, err := url.Parse(e.issuer)
	if err != nil {
		return fmt.Errorf("parse the issuer: %w", err)
	}
	if to, err := url.Parse(address); err != nil || from.Scheme == "https" && to.Scheme != "https" {
		return errors.New("leads from https to http")
	}
	return nil
}

func (e *exchanger) oauth(m metadata) *oauth2.Config {
	c := &oauth2.Config{
		ClientID: e.cfg.ClientID, RedirectURL: e.redirectURL, Scopes: e.cfg.Scopes,
		Endpoint: oauth2.Endpoint{AuthURL: m.Authorization, TokenURL: m.Token, AuthStyle: oauth2.AuthStyleInParams},
	}
	if e.secret != nil {
		c.ClientSecret = e.secret.Current()
		// Without a word client_secret_basic holds (OpenID Connect Discovery section 3). It is not tried out,
		// since a code can be sent once only.
		if m.AuthMethods == nil || slices.Contains(m.AuthMethods, "client_secret_basic") {
			c.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
		}
	}
	return c
}

// address is where the browser goes to log in.
func (e *exchanger) address(m metadata, p pending) string {
	return e.oauth(m).AuthCodeURL(p.State, oauth2.S256ChallengeOption(p.Verifier), oidc.Nonce(p.Nonce))
}

func (e *exchanger) logoutAddress(m metadata) string {
	u, err := url.Parse(m.EndSession)
	if m.EndSession == "" || err != nil {
		return ""
	}
	q := u.Query()
	q.Set("client_id", e.cfg.ClientID)
	u.RawQuery = q.Encode()
	return u.String()
}

// checkIssuer keeps the answer of another provider away (RFC 9207 section 2.4).
func (e *exchanger) checkIssuer(ctx context.Context, q url.Values) error {
	if q.Has("iss") {
		if q.Get("iss") != e.issuer {
			return errors.New("iss is not the provider")
		}
		return nil
	}
	m, err := e.metadata.Find(ctx)
	if err != nil {
		return fault.Wrap(fault.Unavailable, "the provider is away", err)
	}
	if m.NamesIssuer {
		return errors.New("there is no iss")
	}
	return nil
}

// exchange gives the person whom a code stands for. An error is a fault of kind Unavailable where the
// provider did not answer.
func (e *exchanger) exchange(ctx context.Context, code string, p pending) (token.Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, exchangeTimeout)
	defer cancel()
	m, err := e.metadata.Find(ctx)
	if err != nil {
		return token.Identity{}, fault.Wrap(fault.Unavailable, "the provider is away", err)
	}
	answer, err := e.oauth(m).Exchange(oidc.ClientContext(ctx, e.client), code, oauth2.VerifierOption(p.Verifier))
	if err != nil {
		return token.Identity{}, exchangeFault(err)
	}
	raw, ok := answer.Extra("id_token").(string)
	if !ok {
		return token.Identity{}, errors.New("the provider sends no ID token")
	}
	return e.verifier.Verify(ctx, raw, p.Nonce) //nolint:wrapcheck // it says all
}

// exchangeFault tells a code that the provider refuses from a provider that cannot answer.
func exchangeFault(err error) error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		return fault.Wrap(fault.Unavailable, "the provider is away", provider.SafeError(err))
	}
	status := refused.Response.StatusCode
	said := fmt.Errorf("the provider answers a code with status %d: %q", status, provider.ErrorCode(refused.ErrorCode))
	if class := status / 100; class == 4 && status != http.StatusTooManyRequests || class == 2 {
		return said
	}
	return fault.Wrap(fault.Unavailable, "the provider is away", said)
}

// bounded cuts answers that are too large.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err //nolint:wrapcheck // it is that of the transport
	}
	resp.Body = http.MaxBytesReader(nil, resp.Body, maxAnswer)
	return resp, nil
}

// CloseIdleConnections lets http.Client reach the transport.
func (b bounded) CloseIdleConnections() {
	if c, ok := b.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
