package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	fetchTimeout  = 5 * time.Second
	maxFetchBytes = 1 << 20
	maxRedirects  = 3
)

// source gets the key set of one issuer over HTTP.
type source struct {
	issuer  string
	jwksURL string
	client  *http.Client
}

func newSource(cfg RemoteConfig) source {
	client := &http.Client{}
	if cfg.Client != nil {
		*client = *cfg.Client
	} else {
		transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // net/http documents it
		transport.DisableKeepAlives = true                           // minutes lie between two requests
		client.Transport = transport
	}
	client.CheckRedirect = checkRedirect
	return source{issuer: cfg.Issuer, jwksURL: cfg.JWKSURL, client: client}
}

// checkRedirect keeps keys that were asked for over TLS from coming without it.
func checkRedirect(next *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return errors.New("too many redirects")
	}
	return checkDowngrade(via[0].URL, next.URL)
}

func checkDowngrade(from, to *url.URL) error {
	if from.Scheme == "https" && to.Scheme != "https" {
		return errors.New("the issuer leads from https to " + to.Scheme)
	}
	return nil
}

// fetch gets the keys that tokens may be checked with; there may be none.
func (s source) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	address := s.jwksURL
	if address == "" {
		var err error
		if address, err = s.discover(ctx); err != nil {
			return nil, fmt.Errorf("discover the issuer: %w", err)
		}
	}
	var set struct {
		Keys *[]json.RawMessage `json:"keys"`
	}
	if err := s.get(ctx, address, &set); err != nil {
		return nil, fmt.Errorf("get the key set: %w", err)
	}
	if set.Keys == nil {
		return nil, errors.New("get the key set: it has no keys")
	}
	var keys []jose.JSONWebKey
	for _, raw := range *set.Keys {
		var key jose.JSONWebKey
		// A key of a kind that is not known must be ignored (RFC 7517 section 5).
		if json.Unmarshal(raw, &key) == nil && usable(key) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// discover reads the address of the key set from the provider's metadata, each time anew, because a
// provider may move it (OpenID Connect Discovery section 4).
func (s source) discover(ctx context.Context) (string, error) {
	address := strings.TrimSuffix(s.issuer, "/") + "/.well-known/openid-configuration"
	var metadata struct {
		Issuer  string `json:"issuer"`
		JWKSURI string `json:"jwks_uri"`
	}
	if err := s.get(ctx, address, &metadata); err != nil {
		return "", err
	}
	if metadata.Issuer != s.issuer {
		return "", fmt.Errorf("the document is of the issuer %q", metadata.Issuer)
	}
	from, err := url.Parse(s.issuer)
	if err != nil {
		return "", fmt.Errorf("parse the issuer: %w", err)
	}
	to, err := url.Parse(metadata.JWKSURI)
	if err != nil {
		return "", fmt.Errorf("parse jwks_uri: %w", err)
	}
	return metadata.JWKSURI, checkDowngrade(from, to)
}

func (s source) get(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	// A cache on the way would prolong the life of a removed key.
	req.Header.Set("Cache-Control", "no-cache")
	resp, err := s.client.Do(req)
	if err != nil {
		return fmt.Errorf("request: %w", err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing was written
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxFetchBytes+1))
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	if len(body) > maxFetchBytes {
		return fmt.Errorf("answer is longer than %d bytes", maxFetchBytes)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	return nil
}
