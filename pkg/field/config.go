package field

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// PageConfig is the setting of pages, which the edge and all hubs share.
type PageConfig struct {
	MaxPageSize int64 `env:"HUB_MAX_PAGE_SIZE" envDefault:"200" help:"largest page of a list, in entries, from 1 to 1000; a larger size is cut to it"`
}

// Validate checks the range.
func (c PageConfig) Validate() error {
	if c.MaxPageSize < 1 || c.MaxPageSize > 1000 {
		return fmt.Errorf("HUB_MAX_PAGE_SIZE: must be from 1 to 1000, not %d", c.MaxPageSize)
	}
	return nil
}

// Config are the settings of values and lists, which all hubs share.
type Config struct {
	PageConfig
	URLSchemes  []string      `env:"HUB_URL_SCHEMES"                   help:"comma-separated URL schemes that action addresses may use; empty allows every scheme that no browser runs"`
	ListTimeout time.Duration `env:"HUB_LIST_TIMEOUT" envDefault:"2s"  help:"longest time that a list may take, from 1ms"`
}

var schemePattern = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*$`)

// Validate checks the values and ranges.
func (c Config) Validate() error {
	faults := []error{c.PageConfig.Validate()}
	for _, scheme := range c.URLSchemes {
		if !schemePattern.MatchString(scheme) {
			faults = append(faults, fmt.Errorf("HUB_URL_SCHEMES: %q is no URL scheme", scheme))
		}
	}
	if c.ListTimeout < time.Millisecond {
		faults = append(faults, fmt.Errorf("HUB_LIST_TIMEOUT: must be at least 1ms, not %s", c.ListTimeout))
	}
	return errors.Join(faults...)
}

// Schemes are the URL schemes for Checks.
func (c Config) Schemes() []string {
	var all []string
	for _, scheme := range c.URLSchemes {
		all = append(all, strings.ToLower(scheme))
	}
	return all
}
