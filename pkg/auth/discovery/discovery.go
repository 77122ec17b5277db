// Package discovery reads what an identity provider publishes about itself (OpenID Connect Discovery
// section 4), and checks the addresses by which providers and Hub are known.
package discovery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

const (
	maxAnswerBytes = 1 << 20
	maxRedirects   = 3
)

// Client gets documents of a provider. It follows 3 redirects, and none from https to http.
type Client struct{ http *http.Client }

// NewClient makes a Client that sends its requests with h; nil means without kept connections.
func NewClient(h *http.Client) Client {
	client := &http.Client{}
	if h != nil {
		*client = *h
	} else {
		transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // net/http documents it
		transport.DisableKeepAlives = true                           // minutes lie between two requests
		client.Transport = transport
	}
	client.CheckRedirect = checkRedirect
	return Client{client}
}

// checkRedirect keeps a document that was asked for over TLS from coming without it.
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

// Find gives the address that the metadata of an issuer has under a name, such as jwks_uri. The document
// must be of exactly this issuer, and an https issuer cannot lead to http. A provider may move an address, so
// what was found is not good for ever.
func (c Client) Find(ctx context.Context, issuer, name string) (string, error) {
	from, err := url.Parse(issuer)
	if err != nil {
		return "", fmt.Errorf("parse the issuer: %w", err)
	}
	var document map[string]json.RawMessage
	if err := c.Get(ctx, strings.TrimSuffix(issuer, "/")+"/.well-known/openid-configuration", &document); err != nil {
		return "", err
	}
	if of := text(document["issuer"]); of != issuer {
		return "", fmt.Errorf("the document is of the issuer %q", of)
	}
	address := text(document[name])
	if err := CheckURL(address); err != nil {
		return "", fmt.Errorf("%s %w", name, err)
	}
	to, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("parse %s: %w", name, err)
	}
	return address, checkDowngrade(from, to)
}

// text gives a member that is a string, and "" for any other.
func text(member json.RawMessage) (s string) {
	if json.Unmarshal(member, &s) != nil {
		return ""
	}
	return s
}

// Get decodes the JSON document at an address, of at most 1 MiB.
func (c Client) Get(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	// A cache on the way would prolong the life of a removed key.
	req.Header.Set("Cache-Control", "no-cache")
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("request: %w", err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing was written
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	if len(body) > maxAnswerBytes {
		return fmt.Errorf("answer is longer than %d bytes", maxAnswerBytes)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	return nil
}
