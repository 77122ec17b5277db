package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/portalhub/internal/file"
)

var _ file.Store = (*Store)(nil)

// removeTimeout bounds RemoveUnnamed, which removes a blob in the meantime.
const removeTimeout = 10 * time.Second

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

// DropFile removes one row.
func (s *Store) DropFile(ctx context.Context, p file.DropParams) error {
	_, err := s.exec(ctx, dropFile, p.ID)
	return pg.Failed("drop file", err)
}

// GetFile reads one row by its key.
func (s *Store) GetFile(ctx context.Context, p file.GetParams) (f file.File, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err = s.Call(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, getFile, p.ID)
		if err != nil {
			return err
		}
		f, err = pgx.CollectExactlyOneRow(rows, scanFile)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return file.File{}, file.NotFound(p.ID)
	}
	return f, pg.Failed("get file", err)
}

// ListUnnamed reads by the index.
func (s *Store) ListUnnamed(ctx context.Context, p file.ListUnnamedParams) (hashes []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err = s.Call(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, listUnnamed, p.Hashes)
		if err != nil {
			return err
		}
		hashes, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return hashes, pg.Failed("list unnamed blobs", err)
}

// RemoveUnnamed holds a lock on the hash, for which AddFile waits, in a transaction.
func (s *Store) RemoveUnnamed(ctx context.Context, p file.RemoveParams) (removed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	var failed error
	err = s.Call(ctx, func(conn pg.Session, _ bool) error {
		return pgx.BeginFunc(ctx, conn.Conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, lockName, p.Hash); err != nil {
				return err
			}
			var named bool
			if err := tx.QueryRow(ctx, findHash, p.Hash).Scan(&named); err != nil || named {
				return err
			}
			failed = p.Remove(ctx)
			removed = failed == nil
			return nil
		})
	})
	if err == nil && failed != nil {
		return false, failed
	}
	return removed && err == nil, pg.Failed("remove unnamed blob", err)
}
