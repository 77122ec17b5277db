package sealed

import (
	"bytes"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-jose/go-jose/v4"

	"example.com/hub/pkg/auth"
)

const (
	keyBytes = 32 // of A256GCM
	idBytes  = 9  // of a kid, 12 characters
	// maxKeys is more than anybody rotates at once.
	maxKeys = 16
)

// key is a line of the file.
type key struct {
	id     string
	secret []byte
	// header is the first part of every text that the key seals.
	header string
	// derived has the key for each purpose, of which there are few.
	derived *sync.Map
}

// parseKeys reads a key a line; empty lines are left out. To change the key without ending a session, put
// the new one at the end, move it to the front when every edge has read it, and take the old one out
// when whatever it sealed is past its time.
func parseKeys(content []byte) ([]key, error) {
	var keys []key
	number := 0
	for line := range bytes.Lines(content) {
		number++
		secret := bytes.TrimRight(line, "\r\n")
		if len(secret) == 0 {
			continue
		}
		if err := auth.CheckSecret(fmt.Sprintf("the key in line %d", number), string(secret)); err != nil {
			return nil, err //nolint:wrapcheck // it names the line
		}
		k, err := newKey(secret)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(keys, func(other key) bool { return other.id == k.id }) {
			return nil, fmt.Errorf("the key in line %d is there twice", number)
		}
		keys = append(keys, k)
	}
	switch {
	case len(keys) == 0:
		return nil, errors.New("there is no key; make one with: openssl rand -hex 32")
	case len(keys) > maxKeys:
		return nil, fmt.Errorf("there must be at most %d keys", maxKeys)
	}
	return keys, nil
}

// newKey derives the key's id from it, so that every edge with the same file gives the same one.
func newKey(secret []byte) (key, error) {
	id, err := hkdf.Key(sha256.New, secret, nil, "hub sealed kid", idBytes)
	if err != nil {
		return key{}, fmt.Errorf("derive key id: %w", err)
	}
	k := key{id: base64.RawURLEncoding.EncodeToString(id), secret: bytes.Clone(secret), derived: new(sync.Map)}
	text, err := k.seal("", nil)
	if err != nil {
		return key{}, err
	}
	k.header, _, _ = strings.Cut(text, ".")
	return k, nil
}

// of gives the key for a purpose. What another one of them sealed it cannot open.
func (k key) of(purpose string) ([]byte, error) {
	if known, ok := k.derived.Load(purpose); ok {
		return known.([]byte), nil
	}
	derived, err := hkdf.Key(sha256.New, k.secret, nil, "hub sealed for "+purpose, keyBytes)
	if err != nil {
		return nil, fmt.Errorf("derive key: %w", err)
	}
	k.derived.Store(purpose, derived)
	return derived, nil
}

func (k key) seal(purpose string, plain []byte) (string, error) {
	derived, err := k.of(purpose)
	if err != nil {
		return "", err
	}
	e, err := jose.NewEncrypter(jose.A256GCM, jose.Recipient{Algorithm: jose.DIRECT, Key: derived, KeyID: k.id}, nil)
	if err != nil {
		return "", fmt.Errorf("make encrypter: %w", err)
	}
	object, err := e.Encrypt(plain)
	if err != nil {
		return "", fmt.Errorf("encrypt: %w", err)
	}
	return object.CompactSerialize() //nolint:wrapcheck // it cannot fail for what was just made
}

// open is the reverse of seal, and takes nothing that seal does not write: base64 has several spellings of
// the same bytes.
func (k key) open(purpose, text string) ([]byte, error) {
	if !spelled(text) {
		return nil, errors.New("it is not spelled as it was sealed")
	}
	object, err := jose.ParseEncryptedCompact(text, []jose.KeyAlgorithm{jose.DIRECT}, []jose.ContentEncryption{jose.A256GCM})
	if err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	derived, err := k.of(purpose)
	if err != nil {
		return nil, err
	}
	plain, err := object.Decrypt(derived)
	if err != nil {
		return nil, fmt.Errorf("decrypt: %w", err)
	}
	return plain, nil
}

// spelled tells whether each part is what base64 makes of its bytes: without line breaks, which decoders pass
// over, and without stray bits at the end.
func spelled(text string) bool {
	if strings.ContainsAny(text, "\r\n") {
		return false
	}
	for part := range strings.SplitSeq(text, ".") {
		if _, err := base64.RawURLEncoding.Strict().DecodeString(part); err != nil {
			return false
		}
	}
	return true
}

// NewKey makes a line for the file of keys.
func NewKey() ([]byte, error) { return []byte(rand.Text() + rand.Text() + "\n"), nil }
