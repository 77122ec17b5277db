package hubctl

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const healthy = `erp at …, hubctl …
ok    reach    … answers within … by HTTP/1.1
ok    clock    Hub's clock and this one agree
ok    version  the interface has version 1 and all that hubctl calls
ok    tls      none, on this machine
ok    token    issued within …, good for 1h0m0s
ok    call     Hub takes the token
ok    stream   nothing holds it back: the first line came … after the header, and a heartbeat with the first …
`

func TestDoctorFindsNothing(t *testing.T) {
	check(t, newCaller(t, hubURL), []call{{args: words("doctor"), out: healthy}})
}

// finding is what doctor says with -o json.
type finding struct{ Check, State, Detail, Advice string }

// examine runs doctor and gives the finding of a check.
func examine(t *testing.T, c caller, code int, check string, args ...string) finding {
	t.Helper()
	r := c.run("", append([]string{"doctor", "-o", "json"}, args...)...)
	var seen struct{ Findings []finding }
	if err := json.Unmarshal([]byte(r.out), &seen); err != nil || r.code != code {
		t.Fatalf("want exit %d: %s, %v", code, r, err)
	}
	for _, f := range seen.Findings {
		if f.Check == check {
			return f
		}
	}
	t.Fatalf("there is no finding of %s: %s", check, r)
	return finding{}
}

func wants(t *testing.T, got finding, state, detail, advice string) {
	t.Helper()
	if got.State != state || !strings.Contains(got.Detail, detail) || !strings.Contains(got.Advice, advice) {
		t.Errorf("found %+v, want %s: %s: %s", got, state, detail, advice)
	}
}

// TestDoctorFindsAProxyThatBuffers has proxies that hold a stream back in three ways.
func TestDoctorFindsAProxyThatBuffers(t *testing.T) {
	for name, tt := range map[string]struct {
		body   func(w http.ResponseWriter, body io.Reader)
		detail string
	}{
		"all of it": {func(_ http.ResponseWriter, body io.Reader) { _, _ = io.Copy(io.Discard, body) }, "not even its header came within 5s"},
		"the body": {func(w http.ResponseWriter, body io.Reader) {
			_ = http.NewResponseController(w).Flush()
			_, _ = io.Copy(io.Discard, body)
		}, "its header came, and nothing more within 5s"},
		"for a while": {func(w http.ResponseWriter, body io.Reader) {
			flush := http.NewResponseController(w).Flush
			_ = flush()
			var held bytes.Buffer
			first, part := time.Now(), make([]byte, 1024)
			for time.Since(first) < 3*time.Second { // heartbeats come each second
				n, err := body.Read(part)
				if held.Write(part[:n]); err != nil {
					return
				}
			}
			_, _ = w.Write(held.Bytes())
			_ = flush()
			_, _ = io.Copy(io.Discard, body)
		}, "its first line, which Hub writes at once, came "},
		"events": {func(w http.ResponseWriter, body io.Reader) {
			flush := http.NewResponseController(w).Flush
			first := make([]byte, len("retry: 3000\n"))
			_, _ = io.ReadFull(body, first)
			_, _ = w.Write(first)
			_ = flush()
			var held bytes.Buffer
			began, part := time.Now(), make([]byte, 1024)
			for time.Since(began) < 4*time.Second {
				n, err := body.Read(part)
				if held.Write(part[:n]); err != nil {
					return
				}
			}
			_, _ = w.Write(held.Bytes())
			_ = flush()
			_, _ = io.Copy(io.Discard, body)
		}, "after Hub had written it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			front := proxy(t, hubURL, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
				if !strings.HasSuffix(r.URL.Path, "/stream") {
					pass.ServeHTTP(w, r)
					return
				}
				request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, hubURL+r.URL.RequestURI(), http.NoBody)
				if err != nil {
					t.Error(err)
					return
				}
				request.Header = r.Header.Clone()
				answer, err := http.DefaultClient.Do(request)
				if err != nil {
					return
				}
				defer func() { _ = answer.Body.Close() }()
				w.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
				tt.body(w, answer.Body)
			})
			wants(t, examine(t, newCaller(t, front.URL), 1, "stream", "--wait", "5s"), "fail", tt.detail, "a proxy on the way buffers it")
		})
	}
}

func TestDoctorFindsWhatElseProxiesDo(t *testing.T) {
	stream := func(handle http.HandlerFunc) handling {
		return func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			if strings.HasSuffix(r.URL.Path, "/stream") {
				handle(w, r)
				return
			}
			pass.ServeHTTP(w, r)
		}
	}
	for name, tt := range map[string]struct {
		handle                       handling
		code                         int
		check, state, detail, advice string
	}{
		"cut": {
			stream(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "retry: 3000\n")
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}), 1, "stream", "fail", "it was cut after ", "proxy_read_timeout",
		},
		"compressed": {
			stream(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Encoding", "br") }), 1, "stream", "fail", "compressed with br", "text/event-stream",
		},
		"refused": {stream(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }), 1, "stream", "fail", "status 502", "proxies' rules"},
		"another clock": {func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			if r.URL.Path == "/openapi.yaml" {
				pass.ServeHTTP(dated{w, time.Now().Add(-10 * time.Minute)}, r)
				return
			}
			pass.ServeHTTP(w, r)
		}, 1, "clock", "fail", "behind this one", "NTP"},
		"not Hub": {func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { _, _ = io.WriteString(w, "welcome") }, 3, "reach", "fail", "not by Hub", "something else"},
		"an older Hub": {func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			if r.URL.Path == "/openapi.yaml" {
				_, _ = io.WriteString(w, "info:\n  version: \"1\"\npaths:\n  /message-hub/stream:\n")
				return
			}
			pass.ServeHTTP(w, r)
		}, 0, "version", "warn", "this Hub has no /", "older than this hubctl"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			front := proxy(t, hubURL, tt.handle)
			wants(t, examine(t, newCaller(t, front.URL), tt.code, tt.check, "--wait", "5s"), tt.state, tt.detail, tt.advice)
		})
	}
}

// dated answers with another Date.
type dated struct {
	http.ResponseWriter
	date time.Time
}

func (d dated) WriteHeader(status int) {
	d.Header().Set("Date", d.date.UTC().Format(http.TimeFormat))
	d.ResponseWriter.WriteHeader(status)
}

func TestDoctorFindsWhatIsWrongWithTheClient(t *testing.T) {
	c := newCaller(t, hubURL)
	wants(t, examine(t, c.with("HUBCTL_CLIENT_SECRET=x"), 4, "token"), "fail", "invalid_client", "hubctl login again")
	wants(t, examine(t, c.with("HUBCTL_URL=http://127.0.0.1:1"), 3, "reach"), "fail", "connection refused", "nothing listens there")
	wants(t, examine(t, c.with("HUBCTL_URL=http://none.invalid"), 3, "reach"), "fail", "none.invalid", "no such host")
}

func TestDoctorTellsWhenTheCertificateEnds(t *testing.T) {
	server := httptest.NewUnstartedServer(through(t, hubURL, func(w http.ResponseWriter, r *http.Request, pass http.Handler) { pass.ServeHTTP(w, r) }))
	certificate, authority := certificateFor(t, 10*24*time.Hour+time.Hour)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	c := newCaller(t, server.URL)
	wants(t, examine(t, c, 3, "reach"), "fail", "certificate", "--ca-file")
	got := examine(t, c.with("HUBCTL_CA_FILE="+write(t, "ca.pem", authority)), 0, "tls")
	wants(t, got, "warn", "the certificate ends in 10 days, on 20", "renew it")
}

// certificateFor makes a certificate of this machine, which signs itself.
func certificateFor(t *testing.T, lasts time.Duration) (certificate tls.Certificate, text string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(lasts),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
