// Package sqlite keeps what the portal needs in one SQLite file, for the embedded shape of Hub.
package sqlite

import (
	"context"
	"embed"
	"fmt"

	_ "modernc.org/sqlite" // the driver that pkg/sqlitefile opens

	"example.com/hub/pkg/migrate"
	"example.com/hub/pkg/sqlitefile"
)

//go:embed migrations
var migrations embed.FS

// Store is a portalhub.Store on a SQLite file.
type Store struct {
	file *sqlitefile.DB

	sessionStatements
	appStatements
	peopleStatements
	channelStatements
	articleStatements
	fileStatements
}

// Open opens the file at path, creates it where missing and brings it to the current schema. An error
// names the path in one line.
func Open(ctx context.Context, path string) (*Store, error) {
	file, err := sqlitefile.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &Store{file: file}
	if err := s.prepare(ctx); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return s, nil
}

func (s *Store) prepare(ctx context.Context) error {
	if err := migrate.Run(ctx, s.file.Write, migrate.SQLite, migrations); err != nil {
		return err
	}
	var p sqlitefile.Preparer
	s.prepareSessions(ctx, &p)
	s.prepareApps(ctx, &p)
	s.preparePeople(ctx, &p)
	s.prepareChannels(ctx, &p)
	s.prepareArticles(ctx, &p)
	s.prepareFiles(ctx, &p)
	return p.Err()
}

// Close waits for running statements and closes the file.
func (s *Store) Close() error { return s.file.Close() }

// Ping fails while the file cannot be used.
func (s *Store) Ping(ctx context.Context) error { return s.file.Ping(ctx, ping) }

// ping needs every migration.
const ping = `-- name: ping
SELECT kept
FROM file
LIMIT 1`
