package tlsfiles

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

const (
	// maxFileBytes is more than the bundle of all public authorities takes.
	maxFileBytes = 4 << 20
	// readAttempts bounds how often the files are read to find them all of one version.
	readAttempts = 5
)

// file is a file with the setting that names it. Without a path it is left out.
type file struct{ setting, path string }

// source says where everything is. There is a key if and only if there is a certificate.
type source struct{ cert, key, authorities file }

func (s source) all() []file { return []file{s.cert, s.key, s.authorities} }

func (s source) paths() []string {
	var paths []string
	for _, f := range s.all() {
		if f.path != "" {
			paths = append(paths, f.path)
		}
	}
	return paths
}

// load reads and checks all files, so that nothing of a bad set comes into force.
func (s source) load() (*content, error) {
	raw, err := s.read()
	if err != nil {
		return nil, err
	}
	c := &content{sum: sum(raw)}
	if s.cert.path != "" {
		pair, err := tls.X509KeyPair(raw[0], raw[1])
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", s.cert.setting, s.key.setting, err)
		}
		c.pair = &pair
	}
	if s.authorities.path != "" {
		if c.authorities, err = parseAuthorities(raw[2]); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", s.authorities.setting, s.authorities.path, err)
		}
	}
	return c, nil
}

// read gives the content of the files when it is twice the same: between two files a Secret may be
// replaced, and the certificate of one version does not fit the key of another one. A file that is gone
// may be of a version that was just replaced, so that is tried again, too.
func (s source) read() ([][]byte, error) {
	var last [][]byte
	var fault error
	for range readAttempts {
		next, err := s.readOnce()
		if err == nil && last != nil && slices.EqualFunc(last, next, bytes.Equal) {
			return next, nil
		}
		last, fault = next, err
	}
	if fault != nil {
		return nil, fault
	}
	return nil, fmt.Errorf("%s: the files do not stop changing", s.first().setting)
}

func (s source) first() file {
	for _, f := range s.all() {
		if f.path != "" {
			return f
		}
	}
	return file{}
}

func (s source) readOnce() ([][]byte, error) {
	var raw [][]byte
	for _, f := range s.all() {
		content, err := f.read()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.setting, err)
		}
		raw = append(raw, content)
	}
	return raw, nil
}

func (f file) read() ([]byte, error) {
	if f.path == "" {
		return nil, nil
	}
	r, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	content, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxFileBytes {
		return nil, fmt.Errorf("%s is too large", f.path)
	}
	return content, nil
}

func sum(raw [][]byte) (total [sha256.Size]byte) {
	h := sha256.New()
	for _, content := range raw {
		part := sha256.Sum256(content)
		h.Write(part[:])
	}
	h.Sum(total[:0])
	return total
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
