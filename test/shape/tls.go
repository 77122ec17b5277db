package shape

import (
	"context"
	"crypto/x509"
	"net/netip"
	"os"
	"path/filepath"

	"example.com/hub/test/server"
)

// The names in the certificates of edges and hubs. EdgeName is what hubs know their edges by.
const (
	EdgeName = "edge.hub.test"
	hubName  = "hub.hub.test"
)

// The folders of certificates, below that of TLS. Each has tls.crt, tls.key and ca.crt, as a mounted
// Secret has.
const (
	EdgeSecret = "edge"
	HubSecret  = "hub"
)

// certify makes the authority and the certificates of all.
func (s *Shape) certify() (err error) {
	if err := os.MkdirAll(s.file("tls"), 0o711); err != nil {
		return err
	}
	if s.authority, err = newAuthority(); err != nil {
		return err
	}
	if err := os.WriteFile(s.file("tls/ca.crt"), s.authority.pem(), 0o644); err != nil {
		return err
	}
	for _, name := range []string{"postgres", "redis"} {
		if err := s.issue(name, "localhost"); err != nil {
			return err
		}
	}
	return s.Rotate()
}

// Rotate gives edges and hubs new certificates of the same authority, in the way of Kubernetes: all
// files of a folder are replaced at once.
func (s *Shape) Rotate() error {
	if err := s.issue(EdgeSecret, EdgeName, "127.0.0.1"); err != nil {
		return err
	}
	return s.issue(HubSecret, hubName, "127.0.0.1")
}

// issue makes a certificate for names and a new folder for it, and lets the link of the folder lead there.
func (s *Shape) issue(folder string, names ...string) error {
	cert, key, err := s.authority.issue(names...)
	if err != nil {
		return err
	}
	version, err := os.MkdirTemp(s.file("tls"), folder+"-")
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"tls.crt": cert, "tls.key": key, "ca.crt": s.authority.pem()} {
		if err := os.WriteFile(filepath.Join(version, name), content, 0o600); err != nil {
			return err
		}
	}
	link := version + "-link"
	if err := os.Symlink(filepath.Base(version), link); err != nil {
		return err
	}
	return os.Rename(link, s.file(filepath.Join("tls", folder)))
}

// Secret is the path of a file in a folder of certificates; it is known before the shape starts.
func (c Config) Secret(folder, file string) string {
	return filepath.Join(c.Home, "tls", folder, file)
}

// Authorities are for clients of a shape with TLS; nil without.
func (s *Shape) Authorities() *x509.CertPool {
	if s.authority == nil {
		return nil
	}
	pool := x509.NewCertPool()
	pool.AddCert(s.authority.certificate)
	return pool
}

// serverTLS is for PostgreSQL or Redis.
func (s *Shape) serverTLS(folder string) (t server.TLS, err error) {
	address, err := server.FreeAddress()
	if err != nil {
		return t, err
	}
	return server.TLS{
		Port: int(netip.MustParseAddrPort(address).Port()), CA: s.file("tls/ca.crt"),
		Cert: s.cfg.Secret(folder, "tls.crt"), Key: s.cfg.Secret(folder, "tls.key"),
	}, nil
}

func (s *Shape) startRedis(ctx context.Context) (*server.Server, error) {
	if !s.cfg.TLS {
		return server.Redis(ctx, s.cfg.Home)
	}
	t, err := s.serverTLS("redis")
	if err != nil {
		return nil, err
	}
	return server.RedisTLS(ctx, s.cfg.Home, t)
}

func (s *Shape) scheme() string {
	if s.cfg.TLS {
		return "https://"
	}
	return "http://"
}

// trust is by what replicas know each other and the servers.
func (s *Shape) trust() []string {
	if !s.cfg.TLS {
		return []string{"HUB_INTERNAL_KEY_FILE=" + s.file("internal-key")}
	}
	return []string{"SSL_CERT_FILE=" + s.file("tls/ca.crt")}
}

func (s *Shape) edgeTLS() []string {
	if !s.cfg.TLS {
		return nil
	}
	return append(s.listenerTLS(EdgeSecret),
		"HUB_HUBS_CA_FILE="+s.cfg.Secret(EdgeSecret, "ca.crt"),
		"HUB_HUBS_CERT_FILE="+s.cfg.Secret(EdgeSecret, "tls.crt"),
		"HUB_HUBS_KEY_FILE="+s.cfg.Secret(EdgeSecret, "tls.key"))
}

func (s *Shape) hubTLS() []string {
	if !s.cfg.TLS {
		return nil
	}
	return append(s.listenerTLS(HubSecret),
		"HUB_TLS_CLIENT_CA_FILE="+s.cfg.Secret(HubSecret, "ca.crt"), "HUB_INTERNAL_CLIENT_NAMES="+EdgeName)
}

func (s *Shape) listenerTLS(folder string) []string {
	return []string{
		"HUB_TLS_CERT_FILE=" + s.cfg.Secret(folder, "tls.crt"),
		"HUB_TLS_KEY_FILE=" + s.cfg.Secret(folder, "tls.key"),
	}
}
