package sqlite

import (
	"context"
	"database/sql"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/portalhub/internal/file"
)

var _ file.Store = (*Store)(nil)

// fileStatements are those of the files.
type fileStatements struct {
	addFile, dropFile, getFile, listUnnamed, findHash *sql.Stmt
}

func (s *Store) prepareFiles(ctx context.Context, p *sqlitefile.Preparer) {
	s.fileStatements = fileStatements{
		addFile:     p.Prepare(ctx, s.file.Write, addFile),
		dropFile:    p.Prepare(ctx, s.file.Write, dropFile),
		getFile:     p.Prepare(ctx, s.file.Read, getFile),
		listUnnamed: p.Prepare(ctx, s.file.Read, listUnnamed),
		findHash:    p.Prepare(ctx, s.file.Write, findHash),
	}
}

// AddFile inserts one row.
func (s *Store) AddFile(ctx context.Context, p file.AddParams) error {
	_, err := s.exec(ctx, "add file", s.addFile, p.ID, p.Hash, p.Type, p.Size, p.Name, micros(p.CreateTime), p.CreatorID)
	return err
}

// DropFile removes one row.
func (s *Store) DropFile(ctx context.Context, p file.DropParams) error {
	_, err := s.exec(ctx, "drop file", s.dropFile, p.ID)
	return err
}

// GetFile reads one row by its key.
func (s *Store) GetFile(ctx context.Context, p file.GetParams) (file.File, error) {
	var (
		f          file.File
		createTime int64
		found      bool
	)
	into := []any{&f.ID, &f.Hash, &f.Type, &f.Size, &f.Name, &createTime, &f.CreatorID}
	err := sqlitefile.ForEachRow(ctx, s.getFile, []any{p.ID}, into, func() error {
		found = true
		return nil
	})
	switch {
	case err != nil:
		return file.File{}, s.file.Failed(ctx, "get file", err)
	case !found:
		return file.File{}, file.NotFound(p.ID)
	}
	f.CreateTime = instant(createTime)
	return f, nil
}

// ListUnnamed reads by the index.
func (s *Store) ListUnnamed(ctx context.Context, p file.ListUnnamedParams) ([]string, error) {
	list, err := texts(p.Hashes)
	if err != nil {
		return nil, err
	}
	hashes, err := sqlitefile.Texts(ctx, s.listUnnamed, list)
	return hashes, s.file.Failed(ctx, "list unnamed blobs", err)
}

// RemoveUnnamed is the only one that writes meanwhile.
func (s *Store) RemoveUnnamed(ctx context.Context, p file.RemoveParams) (removed bool, err error) {
	var failed error
	err = s.file.Change(ctx, "remove unnamed blob", func(ctx context.Context, tx *sql.Tx) error {
		named := false
		var one int64
		err := sqlitefile.ForEachRow(ctx, sqlitefile.In(ctx, tx, s.findHash), []any{p.Hash}, []any{&one}, func() error {
			named = true
			return nil
		})
		if err == nil && !named {
			failed = p.Remove(ctx)
			removed = failed == nil
		}
		return err
	})
	if err == nil && failed != nil {
		return false, failed
	}
	return removed && err == nil, err
}
