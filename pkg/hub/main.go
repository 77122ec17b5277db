package hub

import (
	"context"
	"fmt"
	"time"

	"example.com/hub/pkg/cli"
	"example.com/hub/pkg/log"
	"example.com/hub/pkg/store/pg"
)

// Program is the binary of a hub with settings C and a store S.
type Program[C any, S Migrated] struct {
	// Name is the binary's name.
	Name string
	// Summary says in one sentence what it is.
	Summary string
	// Serve serves until ctx ends.
	Serve func(ctx context.Context, io cli.IO, cfg C) error
	// Open opens the store, in order to bring its schema up to date.
	Open func(ctx context.Context, d pg.Deps) (S, error)
}

// Main runs the command that the process was started with, and returns the exit code.
func (p Program[C, S]) Main() int {
	var toServe C
	var toMigrate migrateConfig
	return cli.Program{
		Name:    p.Name,
		Summary: p.Summary,
		Commands: []cli.Command{
			{
				Name: "serve", Help: "serves until SIGTERM", Settings: &toServe,
				Run: func(ctx context.Context, io cli.IO, _ []string) error { return p.Serve(ctx, io, toServe) },
			},
			{
				Name: "migrate", Help: "brings the database up to date, and waits for it", Settings: &toMigrate,
				Run: func(ctx context.Context, io cli.IO, _ []string) error { return p.migrate(ctx, io, toMigrate) },
			},
		},
	}.Main()
}

// migrateConfig are the settings of the command migrate.
type migrateConfig struct {
	Wait time.Duration `env:"HUB_MIGRATE_WAIT" envDefault:"5m" help:"how long migrate waits for a database that is away, 0 or more"`

	Database pg.Config  `group:"Database"`
	Log      log.Config `group:"Logs"`
}

// Validate checks the range.
func (c migrateConfig) Validate() error {
	if c.Wait < 0 {
		return fmt.Errorf("HUB_MIGRATE_WAIT: must be at least 0s, not %s", c.Wait)
	}
	return nil
}

// Migrated is a store whose schema can be brought up to date.
type Migrated interface {
	MigrateWithin(ctx context.Context, wait time.Duration) error
	Close()
}

// migrate brings the database up to date, and waits for it.
func (p Program[C, S]) migrate(ctx context.Context, io cli.IO, c migrateConfig) error {
	store, err := p.Open(ctx, pg.Deps{Config: c.Database, Logger: io.Logger(c.Log)})
	if err != nil {
		return err
	}
	defer store.Close()
	return store.MigrateWithin(ctx, c.Wait)
}
