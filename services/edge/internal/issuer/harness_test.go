package issuer_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/auth/token"
	"example.com/hub/services/edge/internal/issuer"
	"example.com/hub/services/edge/internal/oauth/oauthtest"
)

const publicURL = "https://hub.test"

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Keys are slow to make, so all tests share them.
var (
	firstKey  = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 2048)) })
	secondKey = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 2048)) })
	curveKey  = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
)

func pkcs8(key any) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: must(x509.MarshalPKCS8PrivateKey(key))})
}

func pkcs1(key *rsa.PrivateKey) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
}

func sumOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// bench is an issuer with its files, a clock that a test moves, and its log.
type bench struct {
	*issuer.Issuer
	cfg  issuer.Config
	deps issuer.Deps
	log  *oauthtest.Log

	mu  sync.Mutex
	now time.Time
}

func (b *bench) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *bench) advance(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

// prepare makes settings with one key and the clients erp (client, profile), limited (profile) and
// "sap/1 ä" (client).
func prepare(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{log: &oauthtest.Log{}, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	b.cfg = issuer.Config{
		PublicURL: publicURL, Audience: "hub", Lifetime: time.Hour,
		ClientsFile:     filepath.Join(dir, "clients.json"),
		SigningKeysFile: filepath.Join(dir, "keys.pem"),
	}
	b.deps = issuer.Deps{
		Clock:  b.clock,
		Logger: slog.New(slog.NewJSONHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	write(t, b.cfg.SigningKeysFile, pkcs8(firstKey()))
	write(t, b.cfg.ClientsFile, []byte(`{"clients":[
		{"id":"erp","secret_sha256":"`+sumOf("erp-key")+`","scopes":["client","profile"]},
		{"id":"limited","secret_sha256":["`+sumOf("old-key")+`","`+sumOf("new-key")+`"],"scopes":["profile"]},
		{"id":"sap/1 ä","secret_sha256":"`+strings.ToUpper(sumOf("a:b%c+d"))+`","scopes":["client"]}]}`))
	return b
}

func (b *bench) open(t *testing.T) *bench {
	t.Helper()
	var err error
	if b.Issuer, err = issuer.Open(b.cfg, b.deps); err != nil {
		t.Fatal(err)
	}
	return b
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return prepare(t).open(t)
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func from(r *http.Request, address string) *http.Request {
	r.RemoteAddr = address
	return r
}

// ask sends a request and checks what holds for every answer (RFC 6749 sections 5.1 and 5.2).
func (b *bench) ask(t *testing.T, r *http.Request) (*httptest.ResponseRecorder, oauthtest.Answer) {
	t.Helper()
	w := httptest.NewRecorder()
	b.ServeToken(w, r)
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Cache-Control": "no-store", "Pragma": "no-cache",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	var a oauthtest.Answer
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		t.Errorf("answer %q: %v", w.Body, err)
	}
	if (w.Code == http.StatusOK) != (a.Error == "") || (w.Code == http.StatusOK) != (a.AccessToken != "") {
		t.Errorf("status is %d with %s", w.Code, w.Body)
	}
	return w, a
}

// wantStatus sends a request and checks the status.
func (b *bench) wantStatus(t *testing.T, r *http.Request, want int) oauthtest.Answer {
	t.Helper()
	w, a := b.ask(t, r)
	if w.Code != want {
		t.Errorf("status is %d, want %d: %s", w.Code, want, w.Body)
	}
	return a
}

// get gives a token for a good request.
func (b *bench) get(t *testing.T) string {
	t.Helper()
	return b.wantStatus(t, oauthtest.Request(oauthtest.Form()), http.StatusOK).AccessToken
}

// verifier checks tokens as an edge does.
func (b *bench) verifier() auth.Verifier {
	return token.New(token.Config{
		Issuer: b.Issuer.Issuer(), Audience: b.Audience(), RequireType: token.TypeAccess,
		Keys: keys.Local(b.Keys), Clock: b.clock,
	})
}

// kidOf gives the key id of a token.
func kidOf(t *testing.T, raw string) string {
	t.Helper()
	parsed, err := jose.ParseSignedCompact(raw, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Signatures[0].Protected.KeyID
}
