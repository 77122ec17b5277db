package shape

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Token gets an access token of the client erp from a base URL.
func Token(ctx context.Context, client *http.Client, base string) (string, error) {
	return TokenOf(ctx, client, base, "erp")
}

// TokenOf gets one of the client erp or portal.
func TokenOf(ctx context.Context, client *http.Client, base, id string) (string, error) {
	form := url.Values{
		"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {id + "-secret"}, "scope": {"client"},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api/login/oauth/token", strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := client.Do(req)
	if err != nil {
		return "", fmt.Errorf("get a token: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return "", fmt.Errorf("get a token: %s: %w", resp.Status, err)
	}
	if answer.Token == "" {
		return "", fmt.Errorf("get a token: %s", resp.Status)
	}
	return answer.Token, nil
}
