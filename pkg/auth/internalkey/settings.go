package internalkey

import (
	"errors"
	"net/url"
	"strings"
)

// Settings name the key of the calls between Hub's own services.
type Settings struct {
	KeyFile string `env:"HUB_INTERNAL_KEY_FILE" first:"true" help:"file with the key that edges and hubs share, one line of 32 to 1024 letters, digits or -._~+/=; may be empty where certificates are used instead, and of a todohub that serves no users"`
}

// Key reads the key; it is empty without a file.
func (s Settings) Key() (string, error) {
	if s.KeyFile == "" {
		return "", nil
	}
	return Read(s.KeyFile)
}

// ServerSettings say by what the other side of these calls knows Hub's own services: the key,
// the name in their certificate, or both together.
type ServerSettings struct {
	Settings

	ClientNames []string `env:"HUB_INTERNAL_CLIENT_NAMES" help:"comma-separated DNS names and URIs, such as SPIFFE ids, of which an edge's certificate must have one; needs HUB_TLS_CLIENT_CA_FILE; empty: certificates do not matter"`
}

// Need fails when there is neither.
func (s ServerSettings) Need() error {
	if s.KeyFile == "" && len(s.ClientNames) == 0 {
		return errors.New("HUB_INTERNAL_KEY_FILE: must not be empty without HUB_INTERNAL_CLIENT_NAMES")
	}
	return nil
}

// Validate checks the names. That certificates are verified at all is for the owner of the listener to
// check.
func (s ServerSettings) Validate() error {
	for _, name := range s.ClientNames {
		if !validPeerName(name) {
			return errors.New("HUB_INTERNAL_CLIENT_NAMES: must be DNS names without wildcards, or URIs, with a comma between them")
		}
	}
	return nil
}

func validPeerName(name string) bool {
	if strings.Contains(name, "://") {
		u, err := url.Parse(name)
		return err == nil && u.Host != "" && u.String() == name
	}
	return name != "" && !strings.ContainsAny(name, " \t*/:@")
}
