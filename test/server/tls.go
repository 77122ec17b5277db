package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// TLS makes a server listen on localhost, for encrypted connections only, besides its socket.
type TLS struct {
	// Port is free.
	Port int
	// Cert and Key are PEM files of a certificate for localhost, CA is that of its authority.
	Cert, Key, CA string
}

// RedisTLS is Redis with TLS. Its address is a rediss:// URL; whoever uses it must trust the authority.
func RedisTLS(ctx context.Context, dir string, t TLS) (*Server, error) {
	port := strconv.Itoa(t.Port)
	return redis(ctx, dir, "rediss://localhost:"+port,
		"--bind", "127.0.0.1", "--tls-port", port, "--tls-auth-clients", "no",
		"--tls-cert-file", t.Cert, "--tls-key-file", t.Key, "--tls-ca-cert-file", t.CA)
}

// PostgresTLS is Postgres with TLS. Its address demands it, and names the authority.
func PostgresTLS(ctx context.Context, dir string, d Durability, t TLS) (*Server, error) {
	return postgres(ctx, dir, d, &t)
}

// serve copies the certificate to where the server's user can read it, and gives the server's arguments.
func (t *TLS) serve(dir string, as *syscall.Credential) ([]string, error) {
	args := []string{"-c", "ssl=on", "-c", "listen_addresses=127.0.0.1", "-p", strconv.Itoa(t.Port)}
	for setting, from := range map[string]string{"ssl_cert_file": t.Cert, "ssl_key_file": t.Key} {
		content, err := os.ReadFile(from)
		if err != nil {
			return nil, err
		}
		to := filepath.Join(dir, setting)
		if err := os.WriteFile(to, content, 0o600); err != nil {
			return nil, err
		}
		if as != nil {
			if err := os.Chown(to, int(as.Uid), int(as.Gid)); err != nil {
				return nil, err
			}
		}
		args = append(args, "-c", setting+"="+to)
	}
	return args, nil
}

func (t *TLS) address() string {
	return fmt.Sprintf("host=localhost port=%d user=hub sslmode=verify-full sslrootcert=%s", t.Port, t.CA)
}
