package messagehub

import (
	"errors"
	"fmt"

	"example.com/hub/pkg/field"
	"example.com/hub/pkg/retention"
	"example.com/hub/services/messagehub/internal/inbox"
)

// Config are the settings of the message area.
type Config struct {
	field.Config

	MaxTargets int           `env:"HUB_MAX_TARGETS"   envDefault:"10000" help:"most target users of one push, from 1 to 100000"`
	Retention  retention.Age `env:"HUB_MESSAGE_RETENTION"                help:"for how long read inbox records stay: days like 90d or hours like 2160h, from 1h; their idempotency keys go with them; empty: for ever"`
}

// Validate checks the ranges.
func (c Config) Validate() error {
	faults := []error{c.Config.Validate()}
	fail := func(name, format string, args ...any) {
		faults = append(faults, fmt.Errorf(name+": "+format, args...))
	}
	if c.MaxTargets < 1 || c.MaxTargets > field.MaxTargets {
		fail("HUB_MAX_TARGETS", "must be from 1 to %d, not %d", field.MaxTargets, c.MaxTargets)
	}
	faults = append(faults, c.Retention.Check("HUB_MESSAGE_RETENTION"))
	return errors.Join(faults...)
}

func (c Config) rules() inbox.Rules {
	return inbox.Rules{
		MaxPageSize: c.MaxPageSize,
		MaxTargets:  c.MaxTargets,
		URLSchemes:  c.Schemes(),
		ListTimeout: c.ListTimeout,
	}
}

// MaxReceive is more bytes than the largest legal push takes as a gRPC message: its targets, and the
// rest within a mebibyte. It is also above what an edge sends of the largest body by default, so that a
// fault names the field that is too long.
func (c Config) MaxReceive() int {
	return max(4<<20+64<<10, 1<<20+c.MaxTargets*(4*field.MaxUsername+4))
}
