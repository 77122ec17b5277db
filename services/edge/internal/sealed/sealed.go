// Package sealed seals small values into the text of a cookie, so that who keeps it can neither read nor
// change it: as a compact JWE (RFC 7516), encrypted directly (dir) by A256GCM, with a key per purpose.
package sealed

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"example.com/hub/pkg/reload"
	"example.com/hub/services/edge/internal/keyfile"
)

// MaxText is the longest sealed text in bytes. With its name and flags a cookie must fit into 4096.
const MaxText = 3900

// ErrRefused is the error of every text that cannot be opened. Its cause is for logs.
var ErrRefused = errors.New("the text was not sealed here for this purpose, or with a key that is gone")

// Config are the settings of the keys.
type Config struct {
	File string `env:"HUB_SECRETS_FILE" first:"true" help:"file with the keys of session and login cookies, a line each of 32 to 1024 letters, digits or -._~+/=, of which the first seals and all open; the same for all edges; read again when it changes"`
}

// Deps are what keys need besides their settings.
type Deps struct {
	// CreateKeys makes the file with a key when there is none. Only an edge that is the only one may do
	// so, because others would not have its key.
	CreateKeys bool
	// Clock gives the time; nil means time.Now.
	Clock func() time.Time
	// Logger gets a line for each change of the file; nil means slog.Default().
	Logger *slog.Logger
}

// Keys seal and open.
type Keys struct{ file *reload.Value[[]key] }

// Open reads the keys. The error names the setting.
func Open(c Config, d Deps) (*Keys, error) {
	f := reload.File{Setting: "HUB_SECRETS_FILE", Path: c.File}
	if f.Path == "" {
		return nil, errors.New(f.Setting + ": must not be empty")
	}
	if d.CreateKeys {
		if err := keyfile.Create(f.Path, NewKey); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Setting, err)
		}
	}
	file, err := reload.Open(reload.Deps[[]key]{
		Files: []reload.File{f},
		Parse: func(content [][]byte) ([]key, error) {
			keys, err := parseKeys(content[0])
			if err != nil {
				return nil, fmt.Errorf("%s: read %s: %w", f.Setting, f.Path, err)
			}
			return keys, nil
		},
		Clock: d.Clock, Logger: d.Logger,
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the setting
	}
	return &Keys{file}, nil
}

// Seal gives the JSON of v as a text of letters, digits and -._ for Open with the same purpose. It is an
// error when the text is longer than MaxText. The time of v is up to the caller: a sealed text has none.
func (k *Keys) Seal(purpose string, v any) (string, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("seal: %w", err)
	}
	text, err := k.file.Current()[0].seal(purpose, plain)
	if err != nil {
		return "", fmt.Errorf("seal: %w", err)
	}
	if len(text) > MaxText {
		return "", fmt.Errorf("seal: %d bytes are too many for a cookie", len(text))
	}
	return text, nil
}

// Open decodes what Seal made of a value for the same purpose. The error is ErrRefused.
func (k *Keys) Open(purpose, text string, into any) error {
	if len(text) > MaxText {
		return fmt.Errorf("%w: %d bytes", ErrRefused, len(text))
	}
	// A header is compared whole, so that no other algorithm, compression or extension is ever looked at.
	header, _, _ := strings.Cut(text, ".")
	for _, key := range k.file.Current() {
		if key.header != header {
			continue
		}
		plain, err := key.open(purpose, text)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
		if err := json.Unmarshal(plain, into); err != nil {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
		return nil
	}
	return fmt.Errorf("%w: no key has its header", ErrRefused)
}
