package tlsfiles

import (
	"errors"
	"fmt"
	"log/slog"

	"example.com/hub/pkg/reload"
)

// ListenerSettings are the certificate of the listeners for callers.
type ListenerSettings struct {
	CertFile string `env:"HUB_TLS_CERT_FILE" help:"PEM file with the certificate of the listeners for callers and those between it and its authority; empty: no TLS; read again when it changes"`
	KeyFile  string `env:"HUB_TLS_KEY_FILE"  help:"PEM file with the private key of HUB_TLS_CERT_FILE; read again when it changes"`
}

// Validate wants both files or none.
func (s ListenerSettings) Validate() error {
	return both(s.source())
}

func (s ListenerSettings) source() source {
	return source{cert: reload.File{Setting: "HUB_TLS_CERT_FILE", Path: s.CertFile}, key: reload.File{Setting: "HUB_TLS_KEY_FILE", Path: s.KeyFile}}
}

// Open reads the files; nil without any. The error names the settings at fault.
func (s ListenerSettings) Open(logger *slog.Logger) (*Files, error) {
	if s.CertFile == "" {
		return nil, nil
	}
	return open(s.source(), logger)
}

// HubSettings are those of a hub's gRPC listener.
type HubSettings struct {
	ListenerSettings

	ClientCAFile string `env:"HUB_TLS_CLIENT_CA_FILE" help:"PEM file with the authorities of client certificates; callers may come without a certificate, but one that they show must be good; empty: none is asked for; read again when it changes"`
}

// Validate wants a certificate of the listener for certificates of clients.
func (s HubSettings) Validate() error {
	if s.ClientCAFile != "" && s.CertFile == "" {
		return errors.New("HUB_TLS_CLIENT_CA_FILE: needs HUB_TLS_CERT_FILE and HUB_TLS_KEY_FILE")
	}
	return nil
}

// Open reads the files; nil without any. The error names the settings at fault.
func (s HubSettings) Open(logger *slog.Logger) (*Files, error) {
	if s.CertFile == "" {
		return nil, nil
	}
	from := s.source()
	from.authorities = reload.File{Setting: "HUB_TLS_CLIENT_CA_FILE", Path: s.ClientCAFile}
	return open(from, logger)
}

// AdminSettings are the certificate of the admin listener. It may be that of the other listeners.
type AdminSettings struct {
	CertFile string `env:"HUB_ADMIN_TLS_CERT_FILE" help:"PEM file with the certificate of HUB_ADMIN_ADDR, which may be HUB_TLS_CERT_FILE; empty: no TLS; read again when it changes"`
	KeyFile  string `env:"HUB_ADMIN_TLS_KEY_FILE"  help:"PEM file with the private key of HUB_ADMIN_TLS_CERT_FILE; read again when it changes"`
}

// Validate wants both files or none.
func (s AdminSettings) Validate() error {
	return both(s.source())
}

func (s AdminSettings) source() source {
	return source{cert: reload.File{Setting: "HUB_ADMIN_TLS_CERT_FILE", Path: s.CertFile}, key: reload.File{Setting: "HUB_ADMIN_TLS_KEY_FILE", Path: s.KeyFile}}
}

// Open reads the files; nil without any. The error names the settings at fault.
func (s AdminSettings) Open(logger *slog.Logger) (*Files, error) {
	if s.CertFile == "" {
		return nil, nil
	}
	return open(s.source(), logger)
}

// ClientSettings are those of connections to the hubs.
type ClientSettings struct {
	CAFile   string `env:"HUB_HUBS_CA_FILE"   help:"PEM file with the authorities of the hubs' certificates; empty: no TLS to the hubs; read again when it changes"`
	CertFile string `env:"HUB_HUBS_CERT_FILE" help:"PEM file with the certificate that the hubs are shown; empty: none; read again when it changes"`
	KeyFile  string `env:"HUB_HUBS_KEY_FILE"  help:"PEM file with the private key of HUB_HUBS_CERT_FILE; read again when it changes"`
}

// Validate wants a certificate and its key together, and only with TLS.
func (s ClientSettings) Validate() error {
	if s.CertFile != "" && s.CAFile == "" {
		return errors.Join(both(s.source()), errors.New("HUB_HUBS_CERT_FILE: needs HUB_HUBS_CA_FILE"))
	}
	return both(s.source())
}

func (s ClientSettings) source() source {
	return source{
		cert:        reload.File{Setting: "HUB_HUBS_CERT_FILE", Path: s.CertFile},
		key:         reload.File{Setting: "HUB_HUBS_KEY_FILE", Path: s.KeyFile},
		authorities: reload.File{Setting: "HUB_HUBS_CA_FILE", Path: s.CAFile},
	}
}

// Open reads the files; nil without any. The error names the settings at fault.
func (s ClientSettings) Open(logger *slog.Logger) (*Files, error) {
	if s.CAFile == "" {
		return nil, nil
	}
	return open(s.source(), logger)
}

// both wants a certificate and its key, or neither.
func both(s source) error {
	has, lacks := s.cert, s.key
	if has.Path == "" {
		has, lacks = lacks, has
	}
	if has.Path != "" && lacks.Path == "" {
		return fmt.Errorf("%s: must be set with %s", lacks.Setting, has.Setting)
	}
	return nil
}
