package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// ScopeInternal is the scope of calls between Hub's own services. No token carries it, whoever issues
// tokens: a scope is a word, and this one has a blank.
const ScopeInternal = "hub internal"

// InternalCaller is who makes the calls between Hub's own services. It has ScopeInternal and nothing
// else.
func InternalCaller() Caller {
	return Caller{ClientID: ScopeInternal, Scopes: []string{ScopeInternal}}
}

// The internal key is as hard to guess as a signature from 32 random characters on.
const (
	minKeyLength = 32
	maxKeyLength = 1024
)

// placeholder is what examples have in the place of a key. Chance puts none of these words into a random one.
var placeholder = regexp.MustCompile(`(?i)replace|change-?me|placeholder|example`)

// WithInternalKey makes a verifier that takes the key itself as a bearer token, for a Caller that has
// ScopeInternal and nothing else, and leaves every other token to v. The error says what is wrong
// with the key, without the key.
func WithInternalKey(v Verifier, key string) (Verifier, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	return &internalKey{next: v, sum: sha256.Sum256([]byte(key))}, nil
}

type internalKey struct {
	next Verifier
	sum  [sha256.Size]byte
}

// Verify implements Verifier. It compares sums, so that the time tells nothing of the key, not even
// its length.
func (k *internalKey) Verify(ctx context.Context, raw string) (Caller, error) {
	sum := sha256.Sum256([]byte(raw))
	if subtle.ConstantTimeCompare(sum[:], k.sum[:]) == 1 {
		return InternalCaller(), nil
	}
	return k.next.Verify(ctx, raw)
}

// ReadInternalKey reads the key from a file: its only line, of 32 to 1024 letters, digits or -._~+/=
// (what a bearer token may have; base64 and hex are fine).
func ReadInternalKey(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read internal key: %w", err)
	}
	defer func() { _ = f.Close() }()
	content, err := io.ReadAll(io.LimitReader(f, maxKeyLength+3))
	if err != nil {
		return "", fmt.Errorf("read internal key: %w", err)
	}
	key := strings.TrimRight(string(content), "\r\n")
	if err := checkKey(key); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

func checkKey(key string) error { return CheckSecret("the internal key", key) }

// CheckSecret tells what is wrong with a secret that somebody made for Hub, in words that begin with its
// name and without the secret: it must have 32 to 1024 letters, digits or -._~+/=, and be no placeholder.
func CheckSecret(name, secret string) error {
	switch {
	case len(secret) < minKeyLength || len(secret) > maxKeyLength:
		return fmt.Errorf("%s must have %d to %d characters", name, minKeyLength, maxKeyLength)
	case !isToken(secret):
		return fmt.Errorf("%s must have letters, digits and -._~+/= only", name)
	case placeholder.MatchString(secret):
		return fmt.Errorf("%s is the placeholder of an example; make one with: openssl rand -hex 32", name)
	}
	return nil
}
