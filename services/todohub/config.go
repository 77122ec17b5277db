package todohub

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"example.com/hub/pkg/retention"
	"example.com/hub/services/todohub/internal/todo"
)

// Who may change an item: the values of HUB_TODO_OWNERSHIP.
const (
	ownershipShared = "shared"
	ownershipSource = "source"
)

// Config are the settings of the todo area.
type Config struct {
	Ownership   string        `env:"HUB_TODO_OWNERSHIP" envDefault:"shared" help:"who may change a todo: shared (every client) or source (the client that created it, and the operators)"`
	Operators   []string      `env:"HUB_TODO_OPERATORS"                     help:"comma-separated ids of the clients that may change every todo under ownership source"`
	MaxPageSize int64         `env:"HUB_MAX_PAGE_SIZE"  envDefault:"200"    help:"largest page of a list, in entries, from 1 to 1000; a larger size is cut to it"`
	URLSchemes  []string      `env:"HUB_URL_SCHEMES"                        help:"comma-separated URL schemes that action addresses may use; empty allows every scheme that no browser runs"`
	ListTimeout time.Duration `env:"HUB_LIST_TIMEOUT"   envDefault:"2s"     help:"longest time that a list may take, from 1ms"`
	Retention   retention.Age `env:"HUB_TODO_RETENTION"                     help:"for how long finished todos stay after their last change: days like 90d or hours like 2160h, from 1h; empty: for ever"`
}

var schemePattern = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*$`)

// Validate checks the values and ranges.
func (c Config) Validate() error {
	var faults []error
	fail := func(name, format string, args ...any) {
		faults = append(faults, fmt.Errorf(name+": "+format, args...))
	}
	if c.Ownership != ownershipShared && c.Ownership != ownershipSource {
		fail("HUB_TODO_OWNERSHIP", "must be shared or source, not %q", c.Ownership)
	}
	if slices.Contains(trimmed(c.Operators), "") {
		fail("HUB_TODO_OPERATORS", "must not have an empty entry")
	}
	if c.MaxPageSize < 1 || c.MaxPageSize > 1000 {
		fail("HUB_MAX_PAGE_SIZE", "must be from 1 to 1000, not %d", c.MaxPageSize)
	}
	for _, scheme := range c.URLSchemes {
		if !schemePattern.MatchString(scheme) {
			fail("HUB_URL_SCHEMES", "%q is no URL scheme", scheme)
		}
	}
	if c.ListTimeout < time.Millisecond {
		fail("HUB_LIST_TIMEOUT", "must be at least 1ms, not %s", c.ListTimeout)
	}
	faults = append(faults, c.Retention.Check("HUB_TODO_RETENTION"))
	return errors.Join(faults...)
}

func (c Config) rules() todo.Rules {
	r := todo.Rules{
		SourceOwned: c.Ownership == ownershipSource,
		Operators:   trimmed(c.Operators),
		MaxPageSize: c.MaxPageSize,
		ListTimeout: c.ListTimeout,
	}
	for _, scheme := range c.URLSchemes {
		r.URLSchemes = append(r.URLSchemes, strings.ToLower(scheme))
	}
	return r
}

// trimmed makes a new list without the blanks that people type after a comma.
func trimmed(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, strings.TrimSpace(s))
	}
	return out
}

// MaxReceive is more bytes than the largest legal request takes as a gRPC message. It is above what an
// edge sends of the largest body by default, so that a fault names the field that is too long.
func (c Config) MaxReceive() int { return 4<<20 + 64<<10 }
