package keys

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.com/hub/pkg/auth/discovery"
)

const fetchTimeout = 5 * time.Second

// source gets the key set of one issuer over HTTP.
type source struct {
	issuer  string
	jwksURL string
	client  discovery.Client
}

// fetch gets the keys that tokens may be checked with; there may be none.
func (s source) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	address := s.jwksURL
	if address == "" {
		var err error
		// Each time anew, because a provider may move it.
		if address, err = s.client.Find(ctx, s.issuer, "jwks_uri"); err != nil {
			return nil, fmt.Errorf("discover the issuer: %w", err)
		}
	}
	var set struct {
		Keys *[]json.RawMessage `json:"keys"`
	}
	if err := s.client.Get(ctx, address, &set); err != nil {
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
