package tlsfiles_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"

	"example.com/hub/pkg/tlsfiles"
	"example.com/hub/pkg/tlsfiles/tlstest"
)

// settings are those of a listener whose files are in a folder of tlstest.
func settings(s tlstest.Secret) tlsfiles.ListenerSettings {
	return tlsfiles.ListenerSettings{CertFile: s.Path("tls.crt"), KeyFile: s.Path("tls.key")}
}

// hubSettings are those of a listener that judges certificates of clients, too.
func hubSettings(s tlstest.Secret) tlsfiles.HubSettings {
	return tlsfiles.HubSettings{ListenerSettings: settings(s), ClientCAFile: s.Path("ca.crt")}
}

// clientSettings are those of the other side.
func clientSettings(s tlstest.Secret) tlsfiles.ClientSettings {
	return tlsfiles.ClientSettings{CAFile: s.Path("ca.crt"), CertFile: s.Path("tls.crt"), KeyFile: s.Path("tls.key")}
}

// openFiles opens what must open.
func openFiles(t *testing.T, s interface {
	Open(*slog.Logger) (*tlsfiles.Files, error)
}, logger *slog.Logger,
) *tlsfiles.Files {
	t.Helper()
	f, err := s.Open(logger)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// journal is a log that can be read while it is written.
type journal struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lines.Write(p)
}

func (j *journal) logger() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }

// take gives what was written since the last time.
func (j *journal) take() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	text := j.lines.String()
	j.lines.Reset()
	return text
}

// serveHTTP answers requests on a listener of f until the test is over.
func serveHTTP(t *testing.T, f *tlsfiles.Files) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{
		Handler:  http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(f.Listener(l)) }()
	t.Cleanup(func() {
		_ = server.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("serve: %v", err)
		}
	})
	return l.Addr().String()
}

// shown makes a connection and gives the certificate that the server shows.
func shown(ctx context.Context, address string, roots *x509.CertPool) (*x509.Certificate, error) {
	dialer := tls.Dialer{Config: &tls.Config{RootCAs: roots, ServerName: "hub.test"}}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0], nil
}

// leaf is the certificate of a pair.
func leaf(t *testing.T, p tlstest.Pair) *x509.Certificate {
	t.Helper()
	pair, err := tls.X509KeyPair(p.Cert, p.Key)
	if err != nil {
		t.Fatal(err)
	}
	return pair.Leaf
}

// write makes a file that may not be there yet.
func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
