package browser_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// certificate is what Hub shows where it is reached by https.
var certificate pair

// pair is a certificate and its key in the files of a folder, and the certificate's key as the browser knows it.
type pair struct{ cert, key, pin string }

// newCertificate makes one in a folder. The browser takes it for every name, by its key.
func newCertificate(dir string) (p pair, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return p, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "hub.test"},
		DNSNames:     []string{"hub.test"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return p, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return p, err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return p, err
	}
	sum := sha256.Sum256(public)
	p = pair{filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"), base64.StdEncoding.EncodeToString(sum[:])}
	if err := os.WriteFile(p.cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), 0o600); err != nil {
		return p, err
	}
	return p, os.WriteFile(p.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600)
}

// client reaches Hub by http, and by https whatever its certificate.
var client = &http.Client{Transport: &http.Transport{
	TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // the browser looks at the certificate
}}

// config is for a server of a test.
func (p pair) config(t *testing.T) *tls.Config {
	t.Helper()
	loaded, err := tls.LoadX509KeyPair(p.cert, p.key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{loaded}, MinVersion: tls.VersionTLS12}
}
