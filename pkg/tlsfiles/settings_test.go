package tlsfiles_test

import (
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/hub/pkg/config"
	"example.com/hub/pkg/tlsfiles"
	"example.com/hub/pkg/tlsfiles/tlstest"
)

func TestSettingsThatDoNotFit(t *testing.T) {
	type all struct {
		Hub    tlsfiles.HubSettings
		Admin  tlsfiles.AdminSettings
		Client tlsfiles.ClientSettings
	}
	for _, tt := range []struct{ environ, want string }{
		{"", ""},
		{"HUB_TLS_CERT_FILE=a HUB_TLS_KEY_FILE=b HUB_TLS_CLIENT_CA_FILE=c", ""},
		{"HUB_TLS_CERT_FILE=a", "HUB_TLS_KEY_FILE: must be set with HUB_TLS_CERT_FILE"},
		{"HUB_TLS_KEY_FILE=a", "HUB_TLS_CERT_FILE: must be set with HUB_TLS_KEY_FILE"},
		{"HUB_TLS_CLIENT_CA_FILE=a", "HUB_TLS_CLIENT_CA_FILE: needs HUB_TLS_CERT_FILE and HUB_TLS_KEY_FILE"},
		{"HUB_ADMIN_TLS_CERT_FILE=a", "HUB_ADMIN_TLS_KEY_FILE: must be set with HUB_ADMIN_TLS_CERT_FILE"},
		{"HUB_HUBS_CA_FILE=a", ""},
		{"HUB_HUBS_CA_FILE=a HUB_HUBS_KEY_FILE=b", "HUB_HUBS_CERT_FILE: must be set with HUB_HUBS_KEY_FILE"},
		{"HUB_HUBS_CERT_FILE=a HUB_HUBS_KEY_FILE=b", "HUB_HUBS_CERT_FILE: needs HUB_HUBS_CA_FILE"},
	} {
		got := ""
		if err := config.Load(&all{}, strings.Fields(tt.environ)); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.environ, got, tt.want)
		}
	}
}

func TestFilesThatDoNotOpen(t *testing.T) {
	authority := tlstest.New(t)
	pair, other := authority.Issue(t, "hub.test"), authority.Issue(t, "hub.test")
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, content := range map[string][]byte{
		"cert": pair.Cert, "key": pair.Key, "other": other.Key, "text": []byte("text"), "huge": make([]byte, 5<<20),
		"damaged": slices.Concat(pair.Cert, other.Cert[:len(other.Cert)-5]),
	} {
		write(t, path(name), content)
	}
	for _, tt := range []struct {
		cert, key, authorities string
		want                   string
	}{
		{"cert", "key", "cert", ""},
		{"none", "key", "", "HUB_TLS_CERT_FILE: open " + path("none")},
		{"cert", "other", "", "HUB_TLS_CERT_FILE, HUB_TLS_KEY_FILE: tls: private key does not match public key"},
		{"text", "key", "", "HUB_TLS_CERT_FILE, HUB_TLS_KEY_FILE: tls: failed to find any PEM data in certificate input"},
		{"cert", "key", "text", "HUB_TLS_CLIENT_CA_FILE: " + path("text") + ": there is no certificate in it"},
		{"cert", "key", "key", "HUB_TLS_CLIENT_CA_FILE: " + path("key") + ": there is a PRIVATE KEY among the certificates"},
		{"cert", "key", "damaged", "HUB_TLS_CLIENT_CA_FILE: " + path("damaged") + ": 1 of its 2 certificates are damaged"},
		{"cert", "huge", "", "HUB_TLS_KEY_FILE: " + path("huge") + " is too large"},
	} {
		s := tlsfiles.HubSettings{ListenerSettings: tlsfiles.ListenerSettings{CertFile: path(tt.cert), KeyFile: path(tt.key)}}
		if tt.authorities != "" {
			s.ClientCAFile = path(tt.authorities)
		}
		_, err := s.Open(slog.Default())
		if (err == nil) != (tt.want == "") || err != nil && !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s, %s, %s: %v, want %q", tt.cert, tt.key, tt.authorities, err, tt.want)
		}
	}
	for name, s := range map[string]interface {
		Open(*slog.Logger) (*tlsfiles.Files, error)
	}{
		"listener": tlsfiles.ListenerSettings{}, "hub": tlsfiles.HubSettings{},
		"admin": tlsfiles.AdminSettings{}, "client": tlsfiles.ClientSettings{},
	} {
		if f, err := s.Open(slog.Default()); f != nil || err != nil {
			t.Errorf("%s without files: %v, %v, want no TLS", name, f, err)
		}
	}
}
