package session_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
)

// plainCookie is what one would write without a library: one key, which nobody changes, and base64 around
// what AES-GCM makes of JSON.
type plainCookie struct{ aead cipher.AEAD }

func newPlainCookie(b *testing.B) plainCookie {
	b.Helper()
	block, err := aes.NewCipher([]byte(first))
	if err != nil {
		b.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		b.Fatal(err)
	}
	return plainCookie{aead}
}

func (p plainCookie) seal(plain []byte) string {
	nonce := make([]byte, p.aead.NonceSize())
	_, _ = rand.Read(nonce)
	return base64.RawURLEncoding.EncodeToString(p.aead.Seal(nonce, nonce, plain, nil))
}

func (p plainCookie) check(r *http.Request, into any) error {
	c, err := r.Cookie(cookie)
	if err != nil {
		return err
	}
	text, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return err
	}
	plain, err := p.aead.Open(nil, text[:p.aead.NonceSize()], text[p.aead.NonceSize():], nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, into)
}

// BenchmarkSession is the check of a request whose cookie is not to be renewed, as nearly all are.
func BenchmarkSession(b *testing.B) {
	b.Run("check/against=gcm/impl=hub", func(b *testing.B) {
		e := open(b, options{})
		r := request(e.begin(b))
		w := httptest.NewRecorder()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := e.Check(w, r, false); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("check/against=gcm/impl=baseline", func(b *testing.B) {
		p := newPlainCookie(b)
		type claims struct {
			ID, User, Name string
			Permissions    []string
			Begun, Renewed int64
		}
		plain, err := json.Marshal(claims{"ABCDEFGHIJKLMNOPQRSTUVWXYZ", amy.Username, amy.Name, amy.Permissions, 1_900_000_000_000, 1_900_000_000_000})
		if err != nil {
			b.Fatal(err)
		}
		r := request(&http.Cookie{Name: cookie, Value: p.seal(plain)})
		b.ReportAllocs()
		for b.Loop() {
			var c claims
			if err := p.check(r, &c); err != nil {
				b.Fatal(err)
			}
		}
	})
}
