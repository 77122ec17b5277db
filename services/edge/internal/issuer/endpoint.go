package issuer

import (
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/hub/services/edge/internal/oauth"
)

// success is the answer of RFC 6749 section 5.1.
type success struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int64  `json:"expires_in"` // seconds
	Scope       string `json:"scope"`
}

// ServeToken answers the token endpoint: a form with grant_type client_credentials, and the client's
// id and secret in the form or by HTTP Basic (RFC 6749 sections 2.3.1 and 4.4.2).
func (i *Issuer) ServeToken(w http.ResponseWriter, r *http.Request) {
	oauth.ForbidCaching(w)
	form, err := oauth.ReadForm(w, r)
	var answer success
	if err == nil {
		answer, err = i.issue(r, form)
	}
	var refused *oauth.Refusal
	switch {
	case err == nil:
		oauth.WriteJSON(w, http.StatusOK, answer)
		return
	case errors.As(err, &refused):
		oauth.LogRefused(r.Context(), i.logger, refused, i.shown(oauth.PresentedID(r, form)))
	default:
		i.logger.ErrorContext(r.Context(), "token not issued", "error", err)
		refused = &oauth.Refusal{Status: http.StatusInternalServerError, Code: "server_error", Description: "internal error"}
	}
	refused.Answer(w, r)
}

// shown is a client id for the log, whole if it is a client's.
func (i *Issuer) shown(id string) string {
	if i.clientsOf(id)[id].id != "" {
		return id
	}
	return oauth.ClientShown(id)
}

func (i *Issuer) issue(r *http.Request, form map[string]string) (success, error) {
	if err := oauth.CheckGrant(form); err != nil {
		return success{}, err
	}
	creds, err := oauth.ReadCredentials(r, form)
	if err != nil {
		return success{}, err
	}
	c, err := i.identify(r, creds)
	if err != nil {
		return success{}, err
	}
	scope, err := grantedScope(c, form["scope"])
	if err != nil {
		return success{}, err
	}
	return i.tokenFor(r, c, scope)
}

// identify checks the secret. What it says of a wrong one is the same for an unknown client, and of a
// right one that comes after too many wrong ones, too.
func (i *Issuer) identify(r *http.Request, creds oauth.Credentials) (client, error) {
	now := i.clock()
	p := pairOf(creds.ID, i.address(r))
	if wait := i.limiter.wait(p, now); wait > 0 {
		return client{}, &oauth.Refusal{
			Status: http.StatusTooManyRequests, RetryAfter: wait,
			Code: "slow_down", Description: "too many failures of this client from this address",
		}
	}
	c, ok := i.clientsOf(creds.ID).authenticate(creds.ID, creds.Secret)
	if i.limiter.holds(p, now) || !ok {
		i.limiter.failed(p, c.id != "", now)
		return client{}, &oauth.Refusal{
			Status: http.StatusUnauthorized, Code: "invalid_client", Description: "unknown client or wrong secret",
		}
	}
	return c, nil
}

// grantedScope is what the client asked for, once each, or all that it may have.
func grantedScope(c client, asked string) (string, error) {
	var granted []string
	for _, scope := range strings.Split(asked, " ") {
		if scope == "" || slices.Contains(granted, scope) {
			continue
		}
		if !slices.Contains(c.scopes, scope) {
			return "", &oauth.Refusal{
				Status: http.StatusBadRequest, Code: "invalid_scope",
				Description: "the client may not have a scope that it asks for",
			}
		}
		granted = append(granted, scope)
	}
	if granted == nil {
		granted = c.scopes
	}
	return strings.Join(granted, " "), nil
}

func (i *Issuer) tokenFor(r *http.Request, c client, scope string) (success, error) {
	issued := i.clock().Unix()
	lifetime := int64(i.cfg.Lifetime / time.Second)
	t := accessToken{
		Issuer: i.cfg.PublicURL, Audience: i.cfg.Audience, Subject: c.id, ClientID: c.id, Scope: scope,
		IssuedAt: issued, Expires: issued + lifetime, ID: rand.Text(),
	}
	signed, err := i.keys.Sign(t)
	if err != nil {
		return success{}, err
	}
	i.logger.DebugContext(r.Context(), "token issued", "client_id", c.id, "token_id", t.ID)
	return success{AccessToken: signed, TokenType: "Bearer", ExpiresIn: lifetime, Scope: scope}, nil
}
