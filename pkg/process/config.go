package process

import (
	"fmt"
	"time"

	"example.com/hub/pkg/log"
	"example.com/hub/pkg/telemetry/tracing"
	"example.com/hub/pkg/tlsfiles"
)

// Config are the settings of every process of the distributed shape.
type Config struct {
	AdminAddr  string        `env:"HUB_ADMIN_ADDR"  envDefault:"127.0.0.1:8090" help:"address of /livez, /readyz, /metrics and /debug/pprof/, host:port; not for callers; :8090 where a probe or a scrape comes from another machine"`
	DrainDelay time.Duration `env:"HUB_DRAIN_DELAY" envDefault:"0s"             help:"how long a stopping process still serves after it became unready"`

	Log      log.Config             `group:"Logs"`
	Trace    tracing.Config         `group:"Traces"`
	AdminTLS tlsfiles.AdminSettings `group:"TLS"`
}

// Validate checks the range.
func (c Config) Validate() error {
	if c.DrainDelay < 0 {
		return fmt.Errorf("HUB_DRAIN_DELAY: must be at least 0, not %s", c.DrainDelay)
	}
	return nil
}
