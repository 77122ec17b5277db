package messagehub

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"example.com/hub/pkg/field"
	"example.com/hub/pkg/retention"
	"example.com/hub/services/messagehub/internal/inbox"
)

// Config are the settings of the message area.
type Config struct {
	MaxPageSize int64         `env:"HUB_MAX_PAGE_SIZE" envDefault:"200"   help:"largest page of a list, in entries, from 1 to 1000; a larger size is cut to it"`
	MaxTargets  int           `env:"HUB_MAX_TARGETS"   envDefault:"10000" help:"most target users of one push, from 1 to 100000"`
	URLSchemes  []string      `env:"HUB_URL_SCHEMES"                      help:"comma-separated URL schemes that action addresses may use; empty allows every scheme that no browser runs"`
	ListTimeout time.Duration `env:"HUB_LIST_TIMEOUT"  envDefault:"2s"    help:"longest time that a list may take, from 1ms"`
	Retention   retention.Age `env:"HUB_MESSAGE_RETENTION"                help:"for how long read inbox records stay: days like 90d or hours like 2160h, from 1h; their idempotency keys go with them; empty: for ever"`
}

var schemePattern = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*$`)

// Validate checks the ranges.
func (c Config) Validate() error {
	var faults []error
	fail := func(name, format string, args ...any) {
		faults = append(faults, fmt.Errorf(name+": "+format, args...))
	}
	if c.MaxPageSize < 1 || c.MaxPageSize > 1000 {
		fail("HUB_MAX_PAGE_SIZE", "must be from 1 to 1000, not %d", c.MaxPageSize)
	}
	if c.MaxTargets < 1 || c.MaxTargets > field.MaxTargets {
		fail("HUB_MAX_TARGETS", "must be from 1 to %d, not %d", field.MaxTargets, c.MaxTargets)
	}
	for _, scheme := range c.URLSchemes {
		if !schemePattern.MatchString(scheme) {
			fail("HUB_URL_SCHEMES", "%q is no URL scheme", scheme)
		}
	}
	if c.ListTimeout < time.Millisecond {
		fail("HUB_LIST_TIMEOUT", "must be at least 1ms, not %s", c.ListTimeout)
	}
	faults = append(faults, c.Retention.Check("HUB_MESSAGE_RETENTION"))
	return errors.Join(faults...)
}

func (c Config) rules() inbox.Rules {
	r := inbox.Rules{MaxPageSize: c.MaxPageSize, MaxTargets: c.MaxTargets, ListTimeout: c.ListTimeout}
	for _, scheme := range c.URLSchemes {
		r.URLSchemes = append(r.URLSchemes, strings.ToLower(scheme))
	}
	return r
}

// MaxReceive is more bytes than the largest legal push takes as a gRPC message: its targets, and the
// rest within a mebibyte. It is also above what an edge sends of the largest body by default, so that a
// fault names the field that is too long.
func (c Config) MaxReceive() int {
	return max(4<<20+64<<10, 1<<20+c.MaxTargets*(4*field.MaxUsername+4))
}
