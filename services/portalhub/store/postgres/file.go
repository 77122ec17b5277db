package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/portalhub/internal/file"
)

var _ file.Store = (*Store)(nil)

var files = table[file.File]{scanFile, file.NotFound}

// dropTimeout bounds DropFile, which removes a blob in the meantime.
const dropTimeout = 10 * time.Second

func scanFile(row pgx.CollectableRow) (f file.File, err error) {
	var kind int16
	err = row.Scan(&f.ID, &f.Hash, &kind, &f.Size, &f.Name, &f.CreateTime, &f.CreatorID)
	f.Type, f.CreateTime = file.Type(kind), f.CreateTime.UTC()
	return f, err
}

// AddFile inserts one row. A repeat after a lost connection finds what the lost run inserted.
func (s *Store) AddFile(ctx context.Context, p file.AddParams) error {
	_, err := s.exec(ctx, addFile, p.ID, p.Hash, p.Type, p.Size, p.Name, p.CreateTime, p.CreatorID)
	return pg.Failed("add file", err)
}

// KeepFile decides in one statement. A repeat finds it so.
func (s *Store) KeepFile(ctx context.Context, p file.KeepParams) (bool, error) {
	kept, err := s.exec(ctx, keepFile, p.ID)
	return kept, pg.Failed("keep file", err)
}

// GetFile reads one row by its key.
func (s *Store) GetFile(ctx context.Context, p file.GetParams) (file.File, error) {
	return files.one(ctx, s, "get file", p.ID, getFile, p.ID)
}

// ListLeft reads by the index of what is not kept.
func (s *Store) ListLeft(ctx context.Context, p file.ListLeftParams) ([]file.File, error) {
	return files.list(ctx, s, "list left files", listLeft, p.Before, p.Limit)
}

// DropFile holds a lock on the hash, for which AddFile waits, in a transaction.
func (s *Store) DropFile(ctx context.Context, p file.DropParams) error {
	ctx, cancel := context.WithTimeout(ctx, dropTimeout)
	defer cancel()
	err := s.Call(ctx, func(conn pg.Session, _ bool) error {
		return pgx.BeginFunc(ctx, conn.Conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, lockName, p.Hash); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, dropFile, p.ID); err != nil {
				return err
			}
			var named bool
			if err := tx.QueryRow(ctx, findHash, p.Hash).Scan(&named); err != nil || named {
				return err
			}
			return p.Remove(ctx)
		})
	})
	return pg.Failed("drop file", err)
}
