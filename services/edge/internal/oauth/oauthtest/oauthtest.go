// Package oauthtest makes the requests of token endpoints for tests, and reads the answers.
package oauthtest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// Form is a good token request with changes; an empty value leaves a parameter out.
func Form(changes ...string) string {
	v := url.Values{
		"grant_type": {"client_credentials"}, "client_id": {"erp"}, "client_secret": {"erp-key"}, "scope": {"client"},
	}
	for i := 0; i < len(changes); i += 2 {
		v.Set(changes[i], changes[i+1])
		if changes[i+1] == "" {
			v.Del(changes[i])
		}
	}
	return v.Encode()
}

// Request is a request with a form.
func Request(body string) *http.Request {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/api/login/oauth/token", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

// Basic adds credentials to a request, each form-encoded (RFC 6749 section 2.3.1).
func Basic(r *http.Request, id, secret string) *http.Request {
	r.SetBasicAuth(url.QueryEscape(id), url.QueryEscape(secret))
	return r
}

// Answer is every member of both kinds of answers.
type Answer struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int64  `json:"expires_in"`
	Scope       string `json:"scope"`
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// Log is a log that may be read while it is written.
type Log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String is what was written.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Refusals reads the lines of refused requests, which are JSON.
func (l *Log) Refusals(t *testing.T) []map[string]any {
	t.Helper()
	var all []map[string]any
	for text := range strings.Lines(l.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if line["msg"] == "token refused" {
			delete(line, "time")
			delete(line, "msg")
			all = append(all, line)
		}
	}
	return all
}

// Named gives the settings that the lines of an error name.
func Named(err error) []string {
	if err == nil {
		return nil
	}
	var named []string
	for line := range strings.Lines(err.Error()) {
		name, _, _ := strings.Cut(line, ": must ")
		named = append(named, name)
	}
	return named
}
