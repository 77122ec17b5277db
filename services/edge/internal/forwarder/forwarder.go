// Package forwarder answers the token endpoint by asking an outside identity provider.
package forwarder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/discovery"
	"example.com/hub/services/edge/internal/oauth"
	"example.com/hub/services/edge/internal/provider"
)

const (
	// forwardTimeout bounds a forwarded request, the discovery of the endpoint included.
	forwardTimeout = 5 * time.Second
	maxAnswerBytes = 64 << 10
)

const refusedByProvider = "the identity provider refused the request"

// Deps are what a forwarder needs besides its settings.
type Deps struct {
	// Issuer is the outside provider, for discovery.
	Issuer string
	// Transport makes the requests to the provider; nil means one of its own.
	Transport http.RoundTripper
	// Clock is the time for the age of what discovery found; nil means time.Now.
	Clock func() time.Time
	// Logger gets the provider's statuses; nil means slog.Default().
	Logger *slog.Logger
}

// Forwarder answers the token endpoint with what an outside identity provider answers. Nothing of a
// request is kept, and nothing is logged but statuses, error codes and what clientShown gives.
type Forwarder struct {
	scope    string
	client   *http.Client
	endpoint *provider.Cached[string]
	logger   *slog.Logger
}

// New makes a forwarder. It does not wait for the provider. Close must be called.
func New(cfg Config, d Deps) (*Forwarder, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.TokenURL == "" && d.Issuer == "" {
		return nil, errors.New("HUB_ISSUER_URL: must not be empty without HUB_TOKEN_URL")
	}
	if d.Clock == nil {
		d.Clock = time.Now
	}
	if d.Logger == nil {
		d.Logger = slog.Default()
	}
	client := provider.NewClient(d.Transport)
	metadata := discovery.NewClient(client)
	discover := func(ctx context.Context) (string, error) { return metadata.Find(ctx, d.Issuer, "token_endpoint") }
	if cfg.TokenURL != "" {
		discover = func(context.Context) (string, error) { return cfg.TokenURL, nil }
	}
	return &Forwarder{
		scope:    cfg.Scope,
		client:   client,
		endpoint: provider.NewCached(discover, d.Clock),
		logger:   d.Logger,
	}, nil
}

// Close ends the connections to the provider that are kept.
func (f *Forwarder) Close() { f.client.CloseIdleConnections() }

// ServeToken answers the token endpoint. The form must have grant_type client_credentials; what else
// is in it, and HTTP Basic credentials, are for the provider to judge.
func (f *Forwarder) ServeToken(w http.ResponseWriter, r *http.Request) {
	oauth.ForbidCaching(w)
	form, err := oauth.ReadForm(w, r)
	var answer providerAnswer
	if err == nil {
		answer, err = f.forward(r, form)
	}
	if err != nil {
		f.refuse(w, r, form, err)
		return
	}
	if answer.status/100 == 4 {
		f.logRefused(r, form, &oauth.Refusal{Status: answer.status, Code: codeOf(answer.body), Description: refusedByProvider})
	}
	if answer.status == http.StatusUnauthorized {
		oauth.Challenge(w, r)
	}
	if answer.retryAfter != "" {
		w.Header().Set("Retry-After", answer.retryAfter)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(answer.status)
	// A client that went away is nobody's fault.
	_, _ = w.Write(answer.body)
}

// refuse answers a request that was not sent, or whose answer cannot be passed on.
func (f *Forwarder) refuse(w http.ResponseWriter, r *http.Request, form map[string]string, err error) {
	var refused *oauth.Refusal
	switch {
	case errors.As(err, &refused):
		f.logRefused(r, form, refused)
	default:
		if r.Context().Err() == nil { // else the caller went away
			f.logger.WarnContext(r.Context(), "token request not forwarded", "error", err)
		}
		refused = &oauth.Refusal{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Code: "temporarily_unavailable"}
	}
	refused.Answer(w, r)
}

// logRefused shows no id whole, since only the provider knows which are those of clients.
func (f *Forwarder) logRefused(r *http.Request, form map[string]string, refused *oauth.Refusal) {
	oauth.LogRefused(r.Context(), f.logger, refused, oauth.ClientShown(oauth.PresentedID(r, form)))
}

// providerAnswer is what the caller gets of the provider's answer.
type providerAnswer struct {
	status     int
	retryAfter string
	body       []byte
}

// forward checks the request and asks the provider. An error that is no refusal means that the
// provider could not answer.
func (f *Forwarder) forward(r *http.Request, form map[string]string) (providerAnswer, error) {
	if err := oauth.CheckGrant(form); err != nil {
		return providerAnswer{}, err
	}
	given, err := oauth.HasAuthorization(r)
	if err != nil {
		return providerAnswer{}, err
	}
	if _, _, basic := r.BasicAuth(); given && !basic {
		return providerAnswer{}, oauth.NotBasic()
	}
	ctx, cancel := context.WithTimeout(r.Context(), forwardTimeout)
	defer cancel()
	address, err := f.endpoint.Find(ctx)
	if err != nil {
		return providerAnswer{}, fmt.Errorf("find the provider's token endpoint: %w", err)
	}
	return f.ask(ctx, address, f.body(form), r.Header.Get("Authorization"))
}

// body is the form for the provider. A parameter without a value counts as left out (RFC 6749
// section 3.2).
func (f *Forwarder) body(form map[string]string) string {
	out := make(url.Values, len(form))
	for name, value := range form {
		if value != "" {
			out.Set(name, value)
		}
	}
	if f.scope != "" {
		out.Set("scope", mapScope(form["scope"], f.scope))
	}
	return out.Encode()
}

// mapScope puts a provider's scope in the place of client. Nothing asked counts as client asked.
func mapScope(asked, providers string) string {
	words := strings.Fields(asked)
	if len(words) == 0 {
		return providers
	}
	for i, word := range words {
		if word == auth.ScopeClient {
			words[i] = providers
		}
	}
	return strings.Join(words, " ")
}

// ask sends the request. Basic credentials go on byte for byte, because providers differ in how they
// decode them.
func (f *Forwarder) ask(ctx context.Context, address, body, authorization string) (providerAnswer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return providerAnswer{}, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	// It is not sent. It tells net/http that the request may be repeated when the provider has closed
	// a kept connection: two tokens do no harm.
	req.Header["Idempotency-Key"] = nil
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return providerAnswer{}, provider.SafeError(err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing was written
	if class := resp.StatusCode / 100; class != 2 && class != 4 {
		return providerAnswer{}, fmt.Errorf("the provider answers with status %d", resp.StatusCode)
	}
	content, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	if err != nil {
		return providerAnswer{}, provider.SafeError(err)
	}
	return f.judge(ctx, resp, content)
}

// judge passes on an answer that is JSON. A refusal that is none is put into the words of RFC 6749
// section 5.2, since the caller expects them.
func (f *Forwarder) judge(ctx context.Context, resp *http.Response, content []byte) (providerAnswer, error) {
	refused := resp.StatusCode/100 == 4
	if isJSON(resp, content) {
		f.logger.DebugContext(ctx, "token request forwarded", "status", resp.StatusCode)
		a := providerAnswer{status: resp.StatusCode, body: content}
		if refused {
			a.retryAfter = resp.Header.Get("Retry-After")
		}
		return a, nil
	}
	if !refused {
		return providerAnswer{}, fmt.Errorf("the provider answers with status %d and no JSON", resp.StatusCode)
	}
	r := &oauth.Refusal{Status: resp.StatusCode, Code: "invalid_request", Description: refusedByProvider}
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		r.Code = "invalid_client"
	case http.StatusTooManyRequests:
		r.Code, r.RetryAfter = "slow_down", time.Second
	}
	return providerAnswer{}, r
}

// codeOf gives the error code of a provider's refusal for the log, or "" if it is none.
func codeOf(content []byte) string {
	var answer struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(content, &answer) != nil {
		return ""
	}
	return provider.ErrorCode(answer.Error)
}

// isJSON tells whether an answer is one whole JSON object.
func isJSON(resp *http.Response, content []byte) bool {
	media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return err == nil && media == "application/json" && len(content) <= maxAnswerBytes &&
		bytes.HasPrefix(bytes.TrimLeft(content, " \t\r\n"), []byte("{")) && json.Valid(content)
}
