package tlsfiles_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/peer"

	"example.com/hub/pkg/tlsfiles"
	"example.com/hub/pkg/tlsfiles/tlstest"
)

// hub is a gRPC server that remembers the certificate of the last call.
type hub struct {
	address string
	client  *x509.Certificate // verified; nil without
}

func serveGRPC(t *testing.T, f *tlsfiles.Files) *hub {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &hub{address: l.Addr().String()}
	look := func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		h.client = nil
		p, _ := peer.FromContext(ctx)
		if info, ok := p.AuthInfo.(credentials.TLSInfo); ok && len(info.State.VerifiedChains) > 0 {
			h.client = info.State.VerifiedChains[0][0]
		}
		return next(ctx, req)
	}
	s := grpc.NewServer(append(f.GRPC(), grpc.UnaryInterceptor(look))...)
	healthpb.RegisterHealthServer(s, health.NewServer())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Stop()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return h
}

// call makes a call on a new connection.
func (h *hub) call(t *testing.T, creds credentials.TransportCredentials) error {
	t.Helper()
	conn, err := grpc.NewClient(h.address, grpc.WithTransportCredentials(creds), grpc.WithAuthority("hub.test"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, err = healthpb.NewHealthClient(conn).Check(t.Context(), &healthpb.HealthCheckRequest{})
	return err
}

func TestMutualTLS(t *testing.T) {
	authority, stranger := tlstest.New(t), tlstest.New(t)
	secret := tlstest.MountPair(t, authority.Issue(t, "hub.test"), authority.PEM())
	h := serveGRPC(t, openFiles(t, hubSettings(secret), slog.New(slog.DiscardHandler)))

	edge := tlstest.MountPair(t, authority.Issue(t, "edge.test"), authority.PEM())
	if err := h.call(t, openFiles(t, clientSettings(edge), slog.Default()).Credentials()); err != nil {
		t.Fatalf("with a certificate: %v", err)
	}
	if h.client == nil || h.client.DNSNames[0] != "edge.test" {
		t.Errorf("the hub saw the certificate %v, want that of edge.test", h.client)
	}
	if err := h.call(t, openFiles(t, tlsfiles.ClientSettings{CAFile: edge.Path("ca.crt")}, slog.Default()).Credentials()); err != nil {
		t.Errorf("without a certificate: %v", err)
	}
	if h.client != nil {
		t.Errorf("the hub saw the certificate %v of a client without", h.client)
	}
	forged := stranger.Issue(t, "edge.test")
	for name, creds := range map[string]credentials.TransportCredentials{
		"plain text":                       insecure.NewCredentials(),
		"an authority unknown to the hub":  credentials.NewTLS(&tls.Config{RootCAs: authority.Pool(), GetClientCertificate: always(t, forged)}),
		"an authority unknown to the edge": credentials.NewTLS(&tls.Config{RootCAs: stranger.Pool()}),
		"a version of TLS that is too old": credentials.NewTLS(&tls.Config{RootCAs: authority.Pool(), MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}),
	} {
		if err := h.call(t, creds); err == nil {
			t.Errorf("%s: the call went through", name)
		}
	}
}

// always shows a certificate whether the server wants it or not.
func always(t *testing.T, p tlstest.Pair) func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	t.Helper()
	pair, err := tls.X509KeyPair(p.Cert, p.Key)
	if err != nil {
		t.Fatal(err)
	}
	return func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
}

func TestAuthoritiesAreReplacedOnBothSides(t *testing.T) {
	first, second := tlstest.New(t), tlstest.New(t)
	server := tlstest.MountPair(t, first.Issue(t, "hub.test"), first.PEM())
	client := tlstest.MountPair(t, first.Issue(t, "edge.test"), first.PEM())
	serving := openFiles(t, hubSettings(server), slog.New(slog.DiscardHandler))
	dialing := openFiles(t, clientSettings(client), slog.New(slog.DiscardHandler))
	h, creds := serveGRPC(t, serving), dialing.Credentials()
	if err := h.call(t, creds); err != nil {
		t.Fatal(err)
	}
	// As it is done without an interruption: trust both, replace the certificates, trust the new one.
	both := append(first.PEM(), second.PEM()...)
	for step, files := range []func(){
		func() { server.ReplacePair(t, first.Issue(t, "hub.test"), both) },
		func() { client.ReplacePair(t, first.Issue(t, "edge.test"), both) },
		func() { server.ReplacePair(t, second.Issue(t, "hub.test"), both) },
		func() { client.ReplacePair(t, second.Issue(t, "edge.test"), second.PEM()) },
		func() { server.ReplacePair(t, second.Issue(t, "hub.test"), second.PEM()) },
	} {
		files()
		serving.Check()
		dialing.Check()
		if err := h.call(t, creds); err != nil || h.client == nil {
			t.Errorf("step %d: %v, with the certificate %v", step, err, h.client)
		}
	}
	client.ReplacePair(t, first.Issue(t, "edge.test"), second.PEM())
	dialing.Check()
	if err := h.call(t, credentials.NewTLS(&tls.Config{RootCAs: second.Pool(), GetClientCertificate: always(t, first.Issue(t, "edge.test"))})); err == nil {
		t.Error("a certificate of the authority that was taken away still counts")
	}
}

func TestALPN(t *testing.T) {
	authority := tlstest.New(t)
	secret := tlstest.MountPair(t, authority.Issue(t, "hub.test"), authority.PEM())
	files := openFiles(t, settings(secret), slog.New(slog.DiscardHandler))
	web, rpc := serveHTTP(t, files), serveGRPC(t, files).address
	for _, tt := range []struct {
		address string
		offered []string
		want    string // empty: no connection
	}{
		{web, []string{"h2", "http/1.1"}, "http/1.1"},
		{web, []string{"http/1.1"}, "http/1.1"},
		{web, []string{"h2"}, ""},
		{rpc, []string{"h2"}, "h2"},
		{rpc, []string{"http/1.1", "h2"}, "h2"},
		{rpc, []string{"http/1.1"}, ""},
	} {
		conn, err := tls.Dial("tcp", tt.address, &tls.Config{RootCAs: authority.Pool(), ServerName: "hub.test", NextProtos: tt.offered})
		if err != nil {
			if tt.want != "" || !strings.Contains(err.Error(), "no application protocol") {
				t.Errorf("%v of %s: %v", tt.offered, tt.address, err)
			}
			continue
		}
		if got := conn.ConnectionState().NegotiatedProtocol; got != tt.want {
			t.Errorf("%v of %s: %q, want %q", tt.offered, tt.address, got, tt.want)
		}
		_ = conn.Close()
	}
}

func TestWithoutTLS(t *testing.T) {
	var none *tlsfiles.Files
	if len(none.GRPC()) != 0 {
		t.Error("there are options for a server without TLS")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if none.Listener(l) != l {
		t.Error("the listener is another one")
	}
	if err := serveGRPC(t, none).call(t, none.Credentials()); err != nil {
		t.Errorf("a call in plain text: %v", err)
	}
}

func TestCredentialsAreAClients(t *testing.T) {
	authority := tlstest.New(t)
	secret := tlstest.MountPair(t, authority.Issue(t, "edge.test"), authority.PEM())
	creds := openFiles(t, clientSettings(secret), slog.Default()).Credentials()
	near, far := net.Pipe()
	defer func() { _ = errors.Join(near.Close(), far.Close()) }()
	if _, _, err := creds.ServerHandshake(far); err == nil {
		t.Error("they serve")
	}
	if err := creds.OverrideServerName("x"); err == nil { //nolint:staticcheck // a part of the interface
		t.Error("they take another name")
	}
	if got := creds.Info().SecurityProtocol; got != "tls" {
		t.Errorf("protocol %q", got)
	}
}
