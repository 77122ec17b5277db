package stage

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// The pair of RFC 7636 appendix B.
const (
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
)

// UserToken is an access token of one of the demo users.
func (s *Stage) UserToken(ctx context.Context, username string) (string, error) {
	const client = "hub-portal"
	base := "http://" + s.Edge
	callback := base + "/portal/callback"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/demo/oidc/authorize?"+url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {callback}, "scope": {"openid profile"}, "user": {username},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}.Encode(), nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultTransport.RoundTrip(req) // it follows nothing
	if err != nil {
		return "", err
	}
	_ = resp.Body.Close()
	back, err := resp.Location()
	if err != nil {
		return "", fmt.Errorf("authorize: %s: %w", resp.Status, err)
	}
	form := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client}, "redirect_uri": {callback},
		"code": {back.Query().Get("code")}, "code_verifier": {verifier},
	}
	req, err = http.NewRequestWithContext(ctx, http.MethodPost, base+"/demo/oidc/token", strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if resp, err = http.DefaultClient.Do(req); err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.Token == "" {
		return "", fmt.Errorf("no token: %s: %w", resp.Status, err)
	}
	return answer.Token, nil
}
