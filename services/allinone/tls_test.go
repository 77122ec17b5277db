package allinone_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"example.com/hub/contract"
	"example.com/hub/pkg/tlsfiles/tlstest"
	"example.com/hub/services/allinone"
)

// withCertificate are settings of a Hub with a certificate for its listeners for callers.
func withCertificate(t *testing.T, authority *tlstest.Authority) (secret tlstest.Secret, environ []string) {
	t.Helper()
	secret = tlstest.MountPair(t, authority.Issue(t, "127.0.0.1"), authority.PEM())
	return secret, []string{"HUB_TLS_CERT_FILE=" + secret.Path("tls.crt"), "HUB_TLS_KEY_FILE=" + secret.Path("tls.key")}
}

// withTLS are those of one whose admin listener has it, too.
func withTLS(t *testing.T, authority *tlstest.Authority) (secret tlstest.Secret, environ []string) {
	t.Helper()
	secret, environ = withCertificate(t, authority)
	return secret, append(
		environ, withAdmin, "HUB_HEARTBEAT_INTERVAL=1s",
		"HUB_ADMIN_TLS_CERT_FILE="+secret.Path("tls.crt"), "HUB_ADMIN_TLS_KEY_FILE="+secret.Path("tls.key"),
	)
}

func TestContractOverTLS(t *testing.T) {
	t.Parallel()
	authority := tlstest.New(t)
	_, environ := withTLS(t, authority)
	over := target(start(t, environ...), func(s *contract.Settings) { s.HeartbeatInterval = time.Second })
	over.Authorities = authority.Pool()
	contract.RunOverTLS(t, over)
}

func TestEveryListenerHasTheCertificate(t *testing.T) {
	authority := tlstest.New(t)
	secret, environ := withTLS(t, authority)
	hub := start(t, environ...)
	client := trusting(t, authority.Pool())
	for _, url := range []string{hub.URL() + "/openapi.yaml", hub.AdminURL() + "/livez"} {
		resp, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", url, resp.Status)
		}
		if plain, err := client.Get("http" + strings.TrimPrefix(url, "https")); err == nil {
			_ = plain.Body.Close()
			if plain.StatusCode != http.StatusBadRequest {
				t.Errorf("%s without TLS: %s", url, plain.Status)
			}
		}
	}
	if err := check(t, hub, credentials.NewTLS(&tls.Config{RootCAs: authority.Pool()})); err != nil {
		t.Errorf("gRPC: %v", err)
	}
	if err := check(t, hub, insecure.NewCredentials()); err == nil {
		t.Error("gRPC without TLS goes through")
	}
	resp, err := client.Get(hub.AdminURL() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, use := range []string{"server", "admin"} {
		if !bytes.Contains(text, []byte(`hub_tls_certificate_expiry_timestamp_seconds{use="`+use+`"}`)) {
			t.Errorf("no expiry of the certificate of %s", use)
		}
	}

	// All of them follow a change of the files.
	other := tlstest.New(t)
	secret.ReplacePair(t, other.Issue(t, "127.0.0.1"), other.PEM())
	late := time.After(30 * time.Second)
	for _, url := range []string{hub.URL() + "/openapi.yaml", hub.AdminURL() + "/livez"} {
		for !answers(trusting(t, other.Pool()), url) {
			select {
			case <-late:
				t.Fatalf("%s does not show the new certificate", url)
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	if err := check(t, hub, credentials.NewTLS(&tls.Config{RootCAs: other.Pool()})); err != nil {
		t.Errorf("gRPC with the new certificate: %v", err)
	}
}

// trusting makes a client with connections of its own.
func trusting(t *testing.T, authorities *x509.CertPool) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities}, DisableKeepAlives: true}
	return &http.Client{Transport: transport}
}

func answers(client *http.Client, url string) bool {
	resp, err := client.Get(url)
	if err != nil {
		return false
	}
	return resp.Body.Close() == nil
}

// check makes a call on a new connection.
func check(t *testing.T, hub *allinone.Hub, creds credentials.TransportCredentials) error {
	t.Helper()
	conn, err := grpc.NewClient(hub.GRPCAddr(), grpc.WithTransportCredentials(creds))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, err = healthpb.NewHealthClient(conn).Check(t.Context(), &healthpb.HealthCheckRequest{})
	return err
}

func TestWelcomeOverTLSTrustsTheCertificate(t *testing.T) {
	secret, environ := withTLS(t, tlstest.New(t))
	var welcome strings.Builder
	if err := start(t, environ...).WriteWelcome(&welcome); err != nil {
		t.Fatal(err)
	}
	calls := strings.Count(welcome.String(), "curl -s")
	if trusting := strings.Count(welcome.String(), " --cacert '"+secret.Path("tls.crt")+"' "); calls != 3 || trusting != calls {
		t.Errorf("%d of %d calls trust the certificate:\n%s", trusting, calls, &welcome)
	}
}
