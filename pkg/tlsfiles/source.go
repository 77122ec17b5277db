package tlsfiles

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"

	"example.com/hub/pkg/reload"
)

// source says where everything is. There is a key if and only if there is a certificate.
type source struct{ cert, key, authorities reload.File }

// parse checks what the three files hold.
func (s source) parse(raw [][]byte) (*content, error) {
	c := &content{}
	if s.cert.Path != "" {
		pair, err := tls.X509KeyPair(raw[0], raw[1])
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", s.cert.Setting, s.key.Setting, err)
		}
		c.pair = &pair
	}
	if s.authorities.Path != "" {
		var err error
		if c.authorities, err = parseAuthorities(raw[2]); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", s.authorities.Setting, s.authorities.Path, err)
		}
	}
	return c, nil
}

// parseAuthorities wants at least one certificate and nothing that is none: a pool that leaves out
// what it does not understand refuses callers without telling why.
func parseAuthorities(raw []byte) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	begun, found := bytes.Count(raw, []byte("-----BEGIN")), 0
	for {
		var block *pem.Block
		if block, raw = pem.Decode(raw); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("there is a %s among the certificates", block.Type)
		}
		authority, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		pool.AddCert(authority)
		found++
	}
	switch {
	case begun == 0:
		return nil, errors.New("there is no certificate in it")
	case found < begun:
		return nil, fmt.Errorf("%d of its %d certificates are damaged", begun-found, begun)
	}
	return pool, nil
}
