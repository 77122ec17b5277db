// Package tlsfiles serves and dials TLS with certificates in PEM files that are replaced while the
// process runs.
package tlsfiles

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"time"

	"example.com/hub/pkg/reload"
	"example.com/hub/pkg/telemetry"
)

// Files are the certificate, the key and the authorities of one side of TLS, as the files were when
// they were last good together. A nil *Files is no TLS.
type Files struct{ *reload.Value[*content] }

// content is what the files hold.
type content struct {
	// pair is nil where only the other side has a certificate.
	pair *tls.Certificate
	// authorities judge the other side; nil where it needs no certificate.
	authorities *x509.CertPool
}

// open reads the files for the first time. The error names the settings at fault.
func open(s source, logger *slog.Logger) (*Files, error) {
	v, err := reload.Open(reload.Deps[*content]{
		Files: []reload.File{s.cert, s.key, s.authorities}, Parse: s.parse, Logger: logger,
	})
	if err != nil {
		return nil, err
	}
	return &Files{v}, nil
}

// Measure adds the expiry of the certificate in use to the metrics; use says for what it is used.
func (f *Files) Measure(r *telemetry.Registry, use string) {
	if f == nil || f.Current().pair == nil {
		return
	}
	telemetry.Read(
		r, func() time.Time { return f.Current().expiry() },
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
