package tlsfiles_test

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/telemetrytest"
	"example.com/hub/pkg/tlsfiles"
	"example.com/hub/pkg/tlsfiles/tlstest"
)

func TestRotationUnderTraffic(t *testing.T) {
	authority := tlstest.New(t)
	secret := tlstest.MountPair(t, authority.Issue(t, "hub.test"), authority.PEM())
	files := openFiles(t, settings(secret), slog.New(slog.DiscardHandler))
	address := serveHTTP(t, files)

	stop, stopped := make(chan struct{}), make(chan error)
	for range 4 {
		go func() {
			for {
				if _, err := shown(t.Context(), address, authority.Pool()); err != nil {
					stopped <- err
					return
				}
				select {
				case <-stop:
					stopped <- nil
					return
				default:
				}
			}
		}()
	}
	for n := range 10 {
		next := authority.Issue(t, "hub.test")
		replaced := make(chan struct{})
		go func() {
			defer close(replaced)
			secret.ReplacePair(t, next, authority.PEM())
		}()
		for done := false; !done; {
			select {
			case <-replaced:
				done = true
			default:
			}
			files.Check() // reads while the files are replaced
		}
		got, err := shown(t.Context(), address, authority.Pool())
		if err != nil || !got.Equal(leaf(t, next)) {
			t.Fatalf("rotation %d: the server shows %v, %v, want %v", n, got, err, leaf(t, next).Subject)
		}
	}
	close(stop)
	for range 4 {
		if err := <-stopped; err != nil {
			t.Errorf("a connection during the rotations: %v", err)
		}
	}
}

func TestBadFilesLeaveTheOldOnesInForce(t *testing.T) {
	authority := tlstest.New(t)
	good, other := authority.Issue(t, "hub.test"), authority.Issue(t, "hub.test")
	key := tlstest.New(t).Issue(t, "hub.test").Key
	for name, bad := range map[string]map[string][]byte{
		"key of another certificate": {"tls.crt": other.Cert, "tls.key": key, "ca.crt": authority.PEM()},
		"cut certificate":            {"tls.crt": other.Cert[:200], "tls.key": other.Key, "ca.crt": authority.PEM()},
		"empty key":                  {"tls.crt": other.Cert, "tls.key": nil, "ca.crt": authority.PEM()},
		"empty authorities":          {"tls.crt": other.Cert, "tls.key": other.Key, "ca.crt": nil},
		"key among the authorities":  {"tls.crt": other.Cert, "tls.key": other.Key, "ca.crt": append(authority.PEM(), key...)},
		"cut authority":              {"tls.crt": other.Cert, "tls.key": other.Key, "ca.crt": cut(authority.PEM())},
	} {
		t.Run(name, func(t *testing.T) {
			log := &journal{}
			secret := tlstest.MountPair(t, good, authority.PEM())
			files := openFiles(t, hubSettings(secret), log.logger())
			address := serveHTTP(t, files)

			secret.Replace(t, bad)
			for range 3 {
				files.Check()
			}
			if text := log.take(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "level=ERROR") || !strings.Contains(text, "HUB_TLS_") {
				t.Errorf("the log of three looks at bad files: %q", text)
			}
			if got, err := shown(t.Context(), address, authority.Pool()); err != nil || !got.Equal(leaf(t, good)) {
				t.Errorf("the server shows %v, %v, want the old certificate", got, err)
			}
			secret.ReplacePair(t, other, authority.PEM())
			files.Check()
			if text := log.take(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "level=INFO") {
				t.Errorf("the log of good files: %q", text)
			}
			if got, err := shown(t.Context(), address, authority.Pool()); err != nil || !got.Equal(leaf(t, other)) {
				t.Errorf("the server shows %v, %v, want the new certificate", got, err)
			}
			secret.Replace(t, bad)
			files.Check()
			if text := log.take(); !strings.Contains(text, "level=ERROR") {
				t.Errorf("the same problem again after good files is not logged: %q", text)
			}
		})
	}
}

// cut breaks a certificate whose PEM stays whole.
func cut(pem []byte) []byte {
	lines := strings.SplitAfter(string(pem), "\n")
	return []byte(lines[0] + strings.Join(lines[2:], ""))
}

func TestFilesThatVanishLeaveTheOldOnesInForce(t *testing.T) {
	authority := tlstest.New(t)
	secret := tlstest.MountPair(t, authority.Issue(t, "hub.test"), authority.PEM())
	log := &journal{}
	files := openFiles(t, settings(secret), log.logger())
	address := serveHTTP(t, files)
	if err := os.Remove(secret.Path("tls.key")); err != nil {
		t.Fatal(err)
	}
	files.Check()
	if text := log.take(); !strings.Contains(text, "HUB_TLS_KEY_FILE: open "+secret.Path("tls.key")) {
		t.Errorf("log %q does not name the file that is missing", text)
	}
	if _, err := shown(t.Context(), address, authority.Pool()); err != nil {
		t.Error(err)
	}
}

func TestChangesCountWithinFiveSeconds(t *testing.T) {
	authority := tlstest.New(t)
	first, second := authority.Issue(t, "hub.test"), authority.Issue(t, "hub.test")
	secret := tlstest.MountPair(t, first, authority.PEM())
	log := &journal{}
	synctest.Test(t, func(t *testing.T) {
		files := openFiles(t, settings(secret), log.logger())
		registry := telemetry.New()
		files.Measure(registry, "server")
		scrape := func() { telemetrytest.Scrape(registry, "hub_tls") }
		for range 10 {
			<-time.After(time.Minute)
			scrape()
		}
		secret.ReplacePair(t, second, authority.PEM())
		<-time.After(4 * time.Second)
		scrape()
		if text := log.take(); text != "" {
			t.Errorf("the log of files that did not change: %q", text)
		}
		<-time.After(time.Second)
		scrape()
		if text := log.take(); !strings.Contains(text, "files read again") || !strings.Contains(text, secret.Path("tls.crt")) {
			t.Errorf("log %q does not tell of the change", text)
		}
	})
}

func TestExpiryIsThatOfTheCertificateInUse(t *testing.T) {
	authority := tlstest.New(t)
	end := time.Unix(2_000_000_001, 0) // no digit of it is left out
	secret := tlstest.MountPair(t, authority.IssueUntil(t, end, "hub.test"), authority.PEM())
	server := openFiles(t, settings(secret), slog.New(slog.DiscardHandler))
	client := openFiles(t, clientSettings(secret), slog.New(slog.DiscardHandler))
	registry := telemetry.New()
	server.Measure(registry, "server")
	client.Measure(registry, "client")
	openFiles(t, tlsfiles.ClientSettings{CAFile: secret.Path("ca.crt")}, slog.Default()).Measure(registry, "none")
	(*tlsfiles.Files)(nil).Measure(registry, "none")

	secret.ReplacePair(t, authority.IssueUntil(t, end.Add(time.Minute), "hub.test"), authority.PEM())
	server.Check()
	const name = "hub_tls_certificate_expiry_timestamp_seconds"
	want := []string{
		fmt.Sprintf(`%s{use="client"} %s`, name, scientific(end)),
		fmt.Sprintf(`%s{use="server"} %s`, name, scientific(end.Add(time.Minute))),
	}
	if diff := cmp.Diff(want, telemetrytest.Scrape(registry, name)); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
}

// scientific is how Prometheus writes a large number.
func scientific(at time.Time) string {
	return fmt.Sprintf("%.9e", float64(at.Unix()))
}
