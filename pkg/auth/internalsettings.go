package auth

import "errors"

// InternalSettings name the key of the calls between Hub's own services.
type InternalSettings struct {
	KeyFile string `env:"HUB_INTERNAL_KEY_FILE" help:"file with the key that edges and messagehubs share, one line of 32 to 1024 letters, digits or -._~+/="`
}

// Validate demands a file; its content is read by Key.
func (s InternalSettings) Validate() error {
	if s.KeyFile == "" {
		return errors.New("HUB_INTERNAL_KEY_FILE: must not be empty")
	}
	return nil
}

// Key reads the key.
func (s InternalSettings) Key() (string, error) { return ReadInternalKey(s.KeyFile) }
