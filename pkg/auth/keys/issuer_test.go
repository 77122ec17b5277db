package keys_test

import (
	"bytes"
	"crypto"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.com/hub/pkg/auth/keys"
)

// issuerFake is the network of a test: it answers with keys, or fails.
type issuerFake struct {
	mu      sync.Mutex
	keys    []jose.JSONWebKey
	err     error
	hang    bool // until the request ends
	delay   time.Duration
	fetches int
}

func (f *issuerFake) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	f.fetches++
	keys, err, hang, delay := f.keys, f.err, f.hang, f.delay
	f.mu.Unlock()
	if hang {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if delay > 0 {
		pass(delay)
	}
	if err != nil {
		return nil, err
	}
	body := must(json.Marshal(jose.JSONWebKeySet{Keys: keys}))
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}

func (f *issuerFake) set(change func(*issuerFake)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

// fetched gives the number of fetches since the last call.
func (f *issuerFake) fetched() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.fetches
	f.fetches = 0
	return n
}

// pass lets time go by on the clock of a bubble, which takes none.
func pass(d time.Duration) { <-time.After(d) }

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// inBubble runs f with keys that are fetched from a fake issuer, on a clock that only f moves.
func inBubble(t *testing.T, f func(t *testing.T, issuer *issuerFake, set *keys.Remote)) {
	t.Helper()
	ownKey()
	foreignKey()
	synctest.Test(t, func(t *testing.T) {
		fake := &issuerFake{keys: ownKeys()}
		set := keys.NewRemote(keys.Config{
			JWKSURL: "https://issuer.test/keys", Client: &http.Client{Transport: fake}, Logger: quiet(),
		})
		defer set.Close()
		synctest.Wait()
		f(t, fake, set)
	})
}

// check tells whether the signature passes.
func check(t *testing.T, set *keys.Remote, kid string, want bool) {
	t.Helper()
	key := map[string]crypto.Signer{"k1": ownKey(), "k2": foreignKey()}[kid]
	if key == nil {
		key = ownKey()
	}
	raw := joseToken(t, jose.RS256, kid, key)
	if _, err := set.VerifySignature(t.Context(), raw); (err == nil) != want {
		t.Errorf("token of %s: error is %v, want it to pass: %v", kid, err, want)
	}
}

func wantFetches(t *testing.T, issuer *issuerFake, want int) {
	t.Helper()
	if got := issuer.fetched(); got != want {
		t.Errorf("%d fetches, want %d", got, want)
	}
}
