package todohub

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/hub/pkg/field"
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
	field.Config

	Ownership string        `env:"HUB_TODO_OWNERSHIP" envDefault:"shared" help:"who may change a todo: shared (every client) or source (the client that created it, and the operators)"`
	Operators []string      `env:"HUB_TODO_OPERATORS"                     help:"comma-separated ids of the clients that may change every todo under ownership source"`
	Retention retention.Age `env:"HUB_TODO_RETENTION"                     help:"for how long finished todos stay after their last change: days like 90d or hours like 2160h, from 1h; empty: for ever"`
}

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
	faults = append(faults, c.Config.Validate(), c.Retention.Check("HUB_TODO_RETENTION"))
	return errors.Join(faults...)
}

func (c Config) rules() todo.Rules {
	return todo.Rules{
		SourceOwned: c.Ownership == ownershipSource,
		Operators:   trimmed(c.Operators),
		MaxPageSize: c.MaxPageSize,
		URLSchemes:  c.Schemes(),
		ListTimeout: c.ListTimeout,
	}
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
