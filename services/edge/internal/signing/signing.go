// Package signing signs tokens with the keys of a file, of which the first signs and all are published.
package signing

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.com/hub/pkg/reload"
	"example.com/hub/services/edge/internal/keyfile"
)

// Deps are what Keys are made of.
type Deps struct {
	// File has RSA private keys in PEM.
	File reload.File
	// Type is the typ of the tokens.
	Type string
	// Create makes the file when there is none. Only a process that runs once may do so, because others would
	// not have its key.
	Create bool
	// Clock gives the time; nil means time.Now.
	Clock func() time.Time
	// Logger gets a line when the file has changed; nil means slog.Default().
	Logger *slog.Logger
}

// Keys are those of a file, which is read again when it changes.
type Keys struct{ current *reload.Value[set] }

// Open reads the file. The error names the setting.
func Open(d Deps) (*Keys, error) {
	if d.File.Path == "" {
		return nil, errors.New(d.File.Setting + ": must not be empty")
	}
	if d.Create {
		if err := keyfile.Create(d.File.Path, NewKey); err != nil {
			return nil, fmt.Errorf("%s: %w", d.File.Setting, err)
		}
	}
	current, err := reload.Open(reload.Deps[set]{
		Files: []reload.File{d.File},
		Parse: func(content [][]byte) (set, error) {
			s, err := parse(content[0], d.Type)
			if err != nil {
				return s, fmt.Errorf("%s: read %s: %w", d.File.Setting, d.File.Path, err)
			}
			return s, nil
		},
		Clock: d.Clock, Logger: d.Logger,
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the setting
	}
	return &Keys{current}, nil
}

// Public are the public keys in force.
func (k *Keys) Public() []jose.JSONWebKey { return k.current.Current().public }

// Sign makes a JWT in compact form, with the claims in JSON.
func (k *Keys) Sign(claims any) (string, error) {
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("encode token: %w", err)
	}
	signed, err := k.current.Current().signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	compact, err := signed.CompactSerialize()
	if err != nil {
		return "", fmt.Errorf("encode token: %w", err)
	}
	return compact, nil
}

// Serve answers with the public keys as a JSON Web Key Set (RFC 7517).
func (k *Keys) Serve(w http.ResponseWriter, r *http.Request) {
	ServeDocument(w, r, k.current.Current().document)
}

// ServeDocument answers with JSON that anyone may keep for five minutes.
func ServeDocument(w http.ResponseWriter, r *http.Request, body []byte) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "public, max-age=300")
	// A failed write means that the client is gone.
	_, _ = w.Write(body)
}
