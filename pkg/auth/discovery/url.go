package discovery

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// CheckURL tells why s cannot be the address of an endpoint.
func CheckURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("must be an http or https URL, not %q", s)
	case u.User != nil || strings.Contains(s, "#"):
		return errors.New("must have no user and no fragment")
	}
	return nil
}

// CheckIssuerURL tells why s cannot be an issuer (RFC 8414 section 2). Plain http is allowed, since
// TLS may end in front of the issuer and a desk has none.
func CheckIssuerURL(s string) error {
	if err := CheckURL(s); err != nil {
		return err
	}
	if strings.Contains(s, "?") {
		return errors.New("must have no query")
	}
	return nil
}

// CheckPublicURL tells why s cannot be the public URL of Hub, to which paths are appended.
func CheckPublicURL(s string) error {
	if err := CheckIssuerURL(s); err != nil {
		return err
	}
	if strings.HasSuffix(s, "/") {
		return errors.New("must not end with a slash")
	}
	return nil
}
