package keys_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"go.uber.org/goleak"

	"example.com/hub/pkg/auth/keys"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve answers with a handler until the end of the test.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// fetchFrom starts keys and waits for the end of the first fetch, which is logged in any case.
func fetchFrom(t *testing.T, cfg keys.Config) *keys.Remote {
	t.Helper()
	lines := make(lineSignal, 1)
	cfg.Logger = slog.New(slog.NewTextHandler(lines, nil))
	set := keys.NewRemote(cfg)
	t.Cleanup(set.Close)
	<-lines
	return set
}

// lineSignal is a log that tells of its first line.
type lineSignal chan struct{}

func (s lineSignal) Write(line []byte) (int, error) {
	select {
	case s <- struct{}{}:
	default:
	}
	return len(line), nil
}

func keySet(t *testing.T, members ...any) []byte {
	t.Helper()
	return must(json.Marshal(map[string]any{"keys": members}))
}

func TestKeysComeFromARealServer(t *testing.T) {
	var asked atomic.Pointer[http.Request]
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r)
		_, _ = w.Write(keySet(t, publicKey("k1", ownKey())))
	})
	set := fetchFrom(t, keys.Config{JWKSURL: address + "/keys"})
	check(t, set, "k1", true)
	check(t, set, "k2", false)
	if r := asked.Load(); r.URL.Path != "/keys" || r.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("request is %v with %v", r.URL, r.Header)
	}
}

func TestKeysAreDiscovered(t *testing.T) {
	cases := map[string]struct {
		issuer func(address string) string // of the document
		keys   func(address string) string
		want   bool
	}{
		"found":        {func(a string) string { return a }, func(a string) string { return a + "/keys" }, true},
		"other issuer": {func(a string) string { return a + "/" }, func(a string) string { return a + "/keys" }, false},
		"no keys":      {func(a string) string { return a }, func(string) string { return "" }, false},
		"relative":     {func(a string) string { return a }, func(string) string { return "/keys" }, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var address string
			address = serve(t, func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/.well-known/openid-configuration":
					_, _ = fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, tc.issuer(address), tc.keys(address))
				case "/keys":
					_, _ = w.Write(keySet(t, publicKey("k1", ownKey())))
				default:
					http.NotFound(w, r)
				}
			})
			err := fetchFrom(t, keys.Config{Issuer: address}).Ready(t.Context())
			if (err == nil) != tc.want {
				t.Errorf("Ready is %v, want ready: %v", err, tc.want)
			}
		})
	}
}

func TestKeysDoNotComeFromPlainHTTPWhenTLSWasAskedFor(t *testing.T) {
	plain := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(keySet(t, publicKey("k1", ownKey())))
	})
	for name, h := range map[string]func(issuer string) http.HandlerFunc{
		"redirect": func(string) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, plain, http.StatusFound) }
		},
		"jwks_uri": func(issuer string) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				_, _ = fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, issuer, plain)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewTLSServer(nil)
			defer s.Close()
			s.Config.Handler = h(s.URL)
			err := fetchFrom(t, keys.Config{Issuer: s.URL, Client: s.Client()}).Ready(t.Context())
			if err == nil || !strings.Contains(err.Error(), "from https to http") {
				t.Errorf("Ready is %v, want a refusal of plain http", err)
			}
		})
	}
}

func TestAnswerThatIsNoKeySetIsRefused(t *testing.T) {
	set := string(keySet(t, publicKey("k1", ownKey())))
	for name, h := range map[string]http.HandlerFunc{
		"status 500":   answer(http.StatusInternalServerError, set),
		"status 201":   answer(http.StatusCreated, set),
		"no JSON":      answer(http.StatusOK, "<html>"),
		"no keys":      answer(http.StatusOK, "{}"),
		"over 1 MiB":   answer(http.StatusOK, set+strings.Repeat(" ", 1<<20)),
		"broken reply": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := fetchFrom(t, keys.Config{JWKSURL: serve(t, h)}).Ready(t.Context()); err == nil {
				t.Error("ready")
			}
		})
	}
}

func TestRedirectsAreFollowedThreeTimes(t *testing.T) {
	var asked atomic.Int32
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/keys" || asked.Add(1) > 5 {
			_, _ = w.Write(keySet(t, publicKey("k1", ownKey())))
			return
		}
		next := map[string]string{"/1": "/2", "/2": "/3", "/3": "/keys", "/0": "/1"}[r.URL.Path]
		http.Redirect(w, r, next, http.StatusFound)
	})
	for path, want := range map[string]bool{"/1": true, "/0": false} {
		asked.Store(0)
		err := fetchFrom(t, keys.Config{JWKSURL: address + path}).Ready(t.Context())
		if (err == nil) != want {
			t.Errorf("%s: Ready is %v, want ready: %v", path, err, want)
		}
	}
}

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func TestOnlyPublicSigningKeysAreUsed(t *testing.T) {
	forEncryption := publicKey("k1", ownKey())
	forEncryption.Use = "enc"
	modulus := make([]byte, 128)
	modulus[0], modulus[127] = 0x80, 1
	others := map[string]any{
		"for encryption": forEncryption,
		"without kid":    publicKey("", ownKey()),
		"private":        jose.JSONWebKey{Key: ownKey(), KeyID: "k1"},
		"symmetric":      jose.JSONWebKey{Key: []byte("secret"), KeyID: "k1"},
		"1,024 bits":     map[string]any{"kty": "RSA", "kid": "k1", "e": "AQAB", "n": encode(modulus)},
		"unknown kind":   map[string]any{"kty": "new", "kid": "k1"},
		"no object":      "k1",
	}
	for name, other := range others {
		t.Run(name, func(t *testing.T) {
			var members atomic.Pointer[[]byte]
			address := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(*members.Load()) })

			alone := keySet(t, other)
			members.Store(&alone)
			if err := fetchFrom(t, keys.Config{JWKSURL: address}).Ready(t.Context()); err == nil {
				t.Error("the key is used")
			}
			beside := keySet(t, other, publicKey("k1", ownKey()))
			members.Store(&beside)
			check(t, fetchFrom(t, keys.Config{JWKSURL: address}), "k1", true)
		})
	}
}

func TestCloseEndsARunningFetch(t *testing.T) {
	arrived, over := make(chan struct{}), make(chan struct{})
	address := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
		close(over)
	})
	set := keys.NewRemote(keys.Config{JWKSURL: address, Logger: quiet()})
	<-arrived
	set.Close()
	<-over
}
