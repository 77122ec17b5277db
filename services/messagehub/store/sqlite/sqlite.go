// Package sqlite keeps the inbox in one SQLite file, for the embedded shape of Hub.
package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"

	_ "modernc.org/sqlite" // the driver that pkg/sqlitefile opens

	"example.com/hub/pkg/migrate"
	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/pkg/store/trip"
	"example.com/hub/services/messagehub/internal/inbox"
)

//go:embed migrations
var migrations embed.FS

// Store is an inbox.Store on a SQLite file.
type Store struct {
	file   *sqlitefile.DB
	pushes *trip.Group[inbox.MessageKey, inbox.PushParams, inbox.PushResult]
	reads  *trip.Group[inbox.ReadKey, inbox.MarkReadParams, inbox.MarkReadResult]

	insertMessage, selectMessage, insertBody, insertInbox, insertMissing, updateRead *sql.Stmt
	selectAllRead, updateAllRead, selectWatermark                                    *sql.Stmt
	countUnread, countUnreadBatch, selectNewest, selectRecords                       *sql.Stmt
	selectUsers, deleteRead, deleteBodies, deleteMessages                            *sql.Stmt
}

var _ inbox.Store = (*Store)(nil)

// Open opens the file at path, creates it where missing and brings it to the current schema. An error
// names the path in one line.
func Open(ctx context.Context, path string) (*Store, error) {
	file, err := sqlitefile.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &Store{file: file}
	s.pushes = trip.New[inbox.MessageKey](trip.Config[inbox.PushParams, inbox.PushResult]{
		One: s.pushAlone, Many: s.pushShared, Trips: 1, Patience: sqlitefile.ChangeTimeout, SeeThrough: true,
	})
	s.reads = trip.New[inbox.ReadKey](trip.Config[inbox.MarkReadParams, inbox.MarkReadResult]{
		One: s.markReadAlone, Many: s.markReadShared, Trips: 1, Patience: sqlitefile.ChangeTimeout, SeeThrough: true,
	})
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
	s.insertMessage = p.Prepare(ctx, s.file.Write, insertMessage)
	s.selectMessage = p.Prepare(ctx, s.file.Write, selectMessage)
	s.insertBody = p.Prepare(ctx, s.file.Write, insertBody)
	s.insertInbox = p.Prepare(ctx, s.file.Write, insertInbox)
	s.insertMissing = p.Prepare(ctx, s.file.Write, insertMissing)
	s.updateRead = p.Prepare(ctx, s.file.Write, updateRead)
	s.selectAllRead = p.Prepare(ctx, s.file.Write, selectAllRead)
	s.updateAllRead = p.Prepare(ctx, s.file.Write, updateAllRead)
	s.selectWatermark = p.Prepare(ctx, s.file.Read, selectWatermark)
	s.countUnread = p.Prepare(ctx, s.file.Read, countUnread)
	s.countUnreadBatch = p.Prepare(ctx, s.file.Read, countUnreadBatch)
	s.selectNewest = p.Prepare(ctx, s.file.Read, selectNewest)
	s.selectRecords = p.Prepare(ctx, s.file.Read, selectRecords)
	s.selectUsers = p.Prepare(ctx, s.file.Read, selectUsers)
	s.deleteRead = p.Prepare(ctx, s.file.Write, deleteRead)
	s.deleteBodies = p.Prepare(ctx, s.file.Write, deleteBodies)
	s.deleteMessages = p.Prepare(ctx, s.file.Write, deleteMessages)
	return p.Err()
}

// Close waits for running statements and closes the file.
func (s *Store) Close() error {
	s.pushes.Close()
	s.reads.Close()
	return s.file.Close()
}

// Ping fails while the file cannot be used.
func (s *Store) Ping(ctx context.Context) error { return s.file.Ping(ctx, ping) }
