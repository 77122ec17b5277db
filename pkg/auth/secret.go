package auth

import (
	"fmt"
	"regexp"
)

// A secret is as hard to guess as a signature from 32 random characters on.
const (
	minSecret = 32
	maxSecret = 1024
)

// placeholder is what examples have in the place of a secret. Chance puts none of these words into a random one.
var placeholder = regexp.MustCompile(`(?i)replace|change-?me|placeholder|example`)

// CheckSecret tells what is wrong with a secret that somebody made for Hub, in words that begin with its
// name and without the secret: it must have 32 to 1024 letters, digits or -._~+/=, and be no placeholder.
func CheckSecret(name, secret string) error {
	switch {
	case len(secret) < minSecret || len(secret) > maxSecret:
		return fmt.Errorf("%s must have %d to %d characters", name, minSecret, maxSecret)
	case !isToken(secret):
		return fmt.Errorf("%s must have letters, digits and -._~+/= only", name)
	case placeholder.MatchString(secret):
		return fmt.Errorf("%s is the placeholder of an example; make one with: openssl rand -hex 32", name)
	}
	return nil
}
