package eventcenter

import (
	"errors"
	"fmt"
	"net/url"
)

// Config are the settings of a Center.
type Config struct {
	URL       string `env:"HUB_EVENT_CENTER_URL" help:"URL of the event center, https or http, to which /event-center/** is forwarded; empty: none, and these paths are unknown"`
	TokenFile string `env:"HUB_EVENT_CENTER_TOKEN_FILE" help:"file with the bearer token by which Hub calls the event center; empty: calls have none"`
	MaxBody   int64  `env:"HUB_EVENT_CENTER_MAX_BODY" envDefault:"10485760" help:"largest request body for the event center in bytes, at least 1024"`
}

// Validate tells all faults of the settings, one in a line.
func (c Config) Validate() error {
	var faults []error
	if c.URL != "" {
		if _, err := parseBase(c.URL); err != nil {
			faults = append(faults, err)
		}
	}
	if c.TokenFile != "" && c.URL == "" {
		faults = append(faults, errors.New("HUB_EVENT_CENTER_TOKEN_FILE: needs HUB_EVENT_CENTER_URL"))
	}
	if c.MaxBody < 1024 {
		faults = append(faults, fmt.Errorf("HUB_EVENT_CENTER_MAX_BODY: must be at least 1024 bytes, not %d", c.MaxBody))
	}
	return errors.Join(faults...)
}

// parseBase reads the address of the event center. Its faults do not quote it, since a password may be what is
// wrong with it.
func parseBase(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	var fault string
	switch {
	case err != nil:
		fault = "must be a URL such as https://events.example.com/api"
	case u.Scheme != "http" && u.Scheme != "https":
		fault = "must begin with https:// or http://"
	case u.Hostname() == "":
		fault = "must name a host"
	case u.User != nil:
		fault = "must not hold a user or a password"
	case u.RawQuery != "" || u.ForceQuery:
		fault = "must not have a query"
	case u.Fragment != "":
		fault = "must not have a fragment"
	case u.RawPath != "" || checkPath(u.EscapedPath()) != nil:
		fault = "must have a plain path, without escapes and without . or .. segments"
	default:
		return u, nil
	}
	return nil, errors.New("HUB_EVENT_CENTER_URL: " + fault)
}
