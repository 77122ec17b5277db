package portalhub

import (
	"errors"
	"fmt"
	"time"

	"example.com/hub/pkg/field"
	"example.com/hub/pkg/retention"
	"example.com/hub/services/portalhub/internal/content"
	"example.com/hub/services/portalhub/internal/people"
)

// Config are the settings of the portal's hub.
type Config struct {
	field.Config
	field.UserIDConfig
	field.UploadConfig

	CreateAtLogin    bool          `env:"HUB_DIRECTORY_JIT" envDefault:"true" help:"whether who logs in and is not in the directory becomes a person of it; without it she is refused"`
	SessionRetention retention.Age `env:"HUB_SESSION_RETENTION" envDefault:"7d" help:"for how long the rows of sessions stay after their last renewal, for who asks who was logged in: days like 7d or hours like 168h, from 24h"`
}

// longestIdle is the most that the setting HUB_SESSION_IDLE of edges may be: no row that is older lives.
const longestIdle = 24 * time.Hour

// Validate checks the ranges.
func (c Config) Validate() error {
	faults := []error{c.Config.Validate(), c.UserIDConfig.Validate(), c.UploadConfig.Validate()}
	if keep := time.Duration(c.SessionRetention); keep < longestIdle {
		faults = append(faults, fmt.Errorf("HUB_SESSION_RETENTION: must be at least %s, not %s", longestIdle, keep))
	}
	return errors.Join(faults...)
}

func (c Config) people() people.Rules {
	return people.Rules{CreateAtLogin: c.CreateAtLogin, MaxPageSize: c.MaxPageSize, ListTimeout: c.ListTimeout}
}

func (c Config) content() content.Rules {
	return content.Rules{MaxPageSize: c.MaxPageSize, ListTimeout: c.ListTimeout}
}

// MaxReceive is more bytes than the largest legal request takes as a gRPC message.
func (c Config) MaxReceive() int { return 8 << 20 }
