package hubserver

import (
	"context"
	"errors"
	"io"
	"time"

	"example.com/hub/pkg/log"
	"example.com/hub/pkg/store/pg"
)

// MigrateConfig are the settings of a hub's command migrate.
type MigrateConfig struct {
	Wait time.Duration `env:"HUB_MIGRATE_WAIT" envDefault:"5m" help:"how long migrate waits for a database that is away, 0 or more"`

	Database pg.Config
	Log      log.Config
}

// Validate checks the range.
func (c MigrateConfig) Validate() error {
	if c.Wait < 0 {
		return errors.New("HUB_MIGRATE_WAIT: must be at least 0")
	}
	return nil
}

// Migrated is a store whose schema can be brought up to date.
type Migrated interface {
	MigrateWithin(ctx context.Context, wait time.Duration) error
	Close()
}

// Migrate brings the database of a hub up to date, and waits for it. Its log goes to w.
func Migrate[S Migrated](ctx context.Context, w io.Writer, c MigrateConfig, open func(context.Context, pg.Deps) (S, error)) error {
	store, err := open(ctx, pg.Deps{Config: c.Database, Logger: log.New(w, c.Log)})
	if err != nil {
		return err
	}
	defer store.Close()
	return store.MigrateWithin(ctx, c.Wait)
}
