// Package internalkey is the key by which Hub's own services know each other.
package internalkey

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"os"
	"strings"

	"example.com/hub/pkg/auth"
)

// maxLength is the longest key, in characters.
const maxLength = 1024

// Key is the key on the side that is called. It is only good for a comparison. Nil is no key.
type Key struct {
	sum    [sha256.Size]byte
	length int
}

// New makes a Key. The error says what is wrong with it, without the key.
func New(key string) (*Key, error) {
	if err := check(key); err != nil {
		return nil, err
	}
	return &Key{sha256.Sum256([]byte(key)), len(key)}, nil
}

// Is tells whether a bearer token is the key. It compares sums, so that the time tells nothing of the characters of
// the key. It may tell their number, which is no secret: a key is hard to guess for whoever knows that it has 32.
// Access tokens, which most calls have, are mostly of another length and are not summed.
func (k *Key) Is(token string) bool {
	if k == nil || len(token) != k.length {
		return false
	}
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], k.sum[:]) == 1
}

// Read reads the key from a file: its only line, of 32 to 1024 letters, digits or -._~+/= (what a bearer
// token may have; base64 and hex are fine).
func Read(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read internal key: %w", err)
	}
	defer func() { _ = f.Close() }()
	content, err := io.ReadAll(io.LimitReader(f, maxLength+3))
	if err != nil {
		return "", fmt.Errorf("read internal key: %w", err)
	}
	key := strings.TrimRight(string(content), "\r\n")
	if err := check(key); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

func check(key string) error { return auth.CheckSecret("the internal key", key) }
