package ratelimit

import (
	"errors"
	"fmt"
	"time"
)

const (
	maxRate  = 100_000
	maxBurst = 10 * time.Minute
)

// Config are the limits that hold for each client.
type Config struct {
	Writes int           `env:"HUB_LIMIT_WRITES" envDefault:"0"   help:"writes per second and client, up to 100000; a push counts as one more for each 100 targets; 0 is no limit"`
	Reads  int           `env:"HUB_LIMIT_READS"  envDefault:"0"   help:"reads per second and client, up to 100000, the opening of a stream included; 0 is no limit"`
	Burst  time.Duration `env:"HUB_LIMIT_BURST"  envDefault:"10s" help:"for how long a client that is quiet saves up what it may do, in whole seconds, 1s to 10m"`
}

// Validate checks the ranges.
func (c Config) Validate() error {
	var faults []error
	for _, rate := range []struct {
		name  string
		value int
	}{{"HUB_LIMIT_WRITES", c.Writes}, {"HUB_LIMIT_READS", c.Reads}} {
		if rate.value < 0 || rate.value > maxRate {
			faults = append(faults, fmt.Errorf("%s: must be from 0 to %d, not %d", rate.name, maxRate, rate.value))
		}
	}
	if c.Burst < time.Second || c.Burst > maxBurst || c.Burst%time.Second != 0 {
		faults = append(faults, fmt.Errorf("HUB_LIMIT_BURST: must be whole seconds from 1s to 10m, not %s", c.Burst))
	}
	return errors.Join(faults...)
}

// On tells whether there is any limit.
func (c Config) On() bool { return c.Writes > 0 || c.Reads > 0 }

func (c Config) limits() [areas]Limit {
	return [areas]Limit{
		Writes: {Rate: c.Writes, Burst: c.Burst},
		Reads:  {Rate: c.Reads, Burst: c.Burst},
	}
}
