package doctor

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	hub "example.com/hub/clients/go"
	"example.com/hub/clients/hubctl/internal/api"
)

// token gets a token and makes a call with it.
func (p *Patient) token(ctx context.Context) error {
	began := time.Now()
	token, err := p.Client.Tokens.Token(ctx)
	if failed := new(hub.Error); errors.As(err, &failed) {
		advice := "hubctl login again: the client or its secret is not, or no longer, in the clients file of Hub"
		if failed.Code != codes.Unauthenticated {
			advice = "the token endpoint is not there or busy: with an outside provider check --token-url, else look at the edge's log"
		}
		p.find("token", Fail, failed.Message, advice)
	}
	if err != nil {
		return err
	}
	p.find("token", OK, fmt.Sprintf("issued within %s%s", time.Since(began).Round(time.Millisecond), p.lifetime(token)), "")

	_, err = p.Client.Call(ctx, api.Request{
		Method: http.MethodGet, Path: "/message-hub/unread-count", Query: url.Values{"username": {fresh()}},
	})
	refused := new(api.Refused)
	switch {
	case err == nil:
		p.find("call", OK, "Hub takes the token", "")
	case errors.As(err, &refused) && refused.Status == http.StatusUnauthorized:
		p.find("call", Fail, told(refused), "the token is not of the issuer that Hub trusts: compare HUB_ISSUER_URL and HUB_TOKEN_AUDIENCE with the provider; or the clocks differ")
	case errors.As(err, &refused) && refused.Status == http.StatusForbidden:
		p.find("call", Fail, told(refused), "the client lacks the scope client: add it to its entry in the clients file")
	case errors.As(err, &refused) && refused.Transient():
		p.find("call", Fail, told(refused), "messagehub or its database is away, or a limit is reached: look at the edge's log for the request id")
	default:
		p.find("call", Fail, err.Error(), "look at the edge's log")
	}
	return err
}

// told is a refusal in one line.
func told(r *api.Refused) string {
	return fmt.Sprintf("%s (status %d, request id %s)", r.Msg, r.Status, r.RequestID)
}

// lifetime tells when a token ends, if it is a JWT.
func (p *Patient) lifetime(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return ""
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return ""
	}
	var claims struct{ Exp int64 }
	if json.Unmarshal(text, &claims) != nil || claims.Exp == 0 {
		return ""
	}
	left := time.Until(time.Unix(claims.Exp, 0)) - p.skew
	return fmt.Sprintf(", good for %s", left.Round(time.Minute))
}
