// Package tlsfiles serves and dials TLS with certificates in PEM files that are replaced while the
// process runs, as Kubernetes does with the Secrets that it mounts.
//
// The files are read again every few seconds and compared by their content. Nothing is watched: the
// files of a mounted Secret are links behind links, of which notifications get lost.
package tlsfiles

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"sync/atomic"
	"time"

	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/telemetry"
)

// checkEvery is how late a change of the files may count.
const checkEvery = 5 * time.Second

// Files are the certificate, the key and the authorities of one side of TLS, as the files were when
// they were last good together. A nil *Files is no TLS.
type Files struct {
	source  source
	logger  *slog.Logger
	current atomic.Pointer[content]

	problem string // logged last; only for check
}

// content is what the files hold.
type content struct {
	sum [sha256.Size]byte
	// pair is nil where only the other side has a certificate.
	pair *tls.Certificate
	// authorities judge the other side; nil where it needs no certificate.
	authorities *x509.CertPool
}

// open reads the files for the first time. The error names the settings at fault.
func open(s source, logger *slog.Logger) (*Files, error) {
	first, err := s.load()
	if err != nil {
		return nil, err
	}
	f := &Files{source: s, logger: logger}
	f.current.Store(first)
	return f, nil
}

// Watching is the part that reads the files again when they change. While they are not good, what was
// read before stays in force, all of it.
func (f *Files) Watching() lifecycle.Part {
	if f == nil {
		return lifecycle.Part{Name: "TLS files"}
	}
	return lifecycle.Background("TLS files", f.watch)
}

func (f *Files) watch(ctx context.Context) error {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			f.check(ctx)
		}
	}
}

// check takes over what is in the files if it is new and good. The same problem is logged once.
func (f *Files) check(ctx context.Context) {
	found, err := f.source.load()
	switch {
	case err == nil:
		f.problem = ""
		if found.sum == f.current.Load().sum {
			return
		}
		f.current.Store(found)
		f.logger.InfoContext(ctx, "TLS files read again", "files", f.source.paths(), "expiry", found.expiry())
	case err.Error() != f.problem:
		f.problem = err.Error()
		f.logger.ErrorContext(ctx, "TLS files not read again, what was read before stays in force", "error", err)
	}
}

// Measure adds the expiry of the certificate in use to the metrics; use says for what it is used.
func (f *Files) Measure(r *telemetry.Registry, use string) {
	if f == nil || f.current.Load().pair == nil {
		return
	}
	telemetry.Read(
		r, func() time.Time { return f.current.Load().expiry() },
		telemetry.Gauge("hub_tls_certificate_expiry_timestamp_seconds", "When the certificate in use expires, in seconds since 1970, by its use.",
			time.Time.Unix, "use", use),
	)
}

// expiry is the end of the certificate's validity; zero without one.
func (c *content) expiry() time.Time {
	if c.pair == nil {
		return time.Time{}
	}
	return c.pair.Leaf.NotAfter
}
