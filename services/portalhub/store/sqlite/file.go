package sqlite

import (
	"context"
	"database/sql"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/portalhub/internal/file"
)

var _ file.Store = (*Store)(nil)

var files = table[file.File]{fileRows, file.NotFound}

// fileStatements are those of the files.
type fileStatements struct {
	addFile, keepFile, getFile, listLeft, dropFile, findHash *sql.Stmt
}

func (s *Store) prepareFiles(ctx context.Context, p *sqlitefile.Preparer) {
	s.fileStatements = fileStatements{
		addFile:  p.Prepare(ctx, s.file.Write, addFile),
		keepFile: p.Prepare(ctx, s.file.Write, keepFile),
		getFile:  p.Prepare(ctx, s.file.Read, getFile),
		listLeft: p.Prepare(ctx, s.file.Read, listLeft),
		dropFile: p.Prepare(ctx, s.file.Write, dropFile),
		findHash: p.Prepare(ctx, s.file.Write, findHash),
	}
}

// AddFile inserts one row.
func (s *Store) AddFile(ctx context.Context, p file.AddParams) error {
	_, err := s.exec(ctx, "add file", s.addFile, p.ID, p.Hash, p.Type, p.Size, p.Name, micros(p.CreateTime), p.CreatorID)
	return err
}

// KeepFile decides in one statement.
func (s *Store) KeepFile(ctx context.Context, p file.KeepParams) (bool, error) {
	return s.exec(ctx, "keep file", s.keepFile, p.ID)
}

// GetFile reads one row by its key.
func (s *Store) GetFile(ctx context.Context, p file.GetParams) (file.File, error) {
	return files.get(ctx, s, "get file", p.ID, s.getFile)
}

// ListLeft reads by the index of what is not kept.
func (s *Store) ListLeft(ctx context.Context, p file.ListLeftParams) ([]file.File, error) {
	left, err := fileRows(ctx, s.listLeft, micros(p.Before), p.Limit)
	return left, s.file.Failed(ctx, "list left files", err)
}

// DropFile is the only one that writes meanwhile.
func (s *Store) DropFile(ctx context.Context, p file.DropParams) error {
	return s.file.Change(ctx, "drop file", func(ctx context.Context, tx *sql.Tx) error {
		if _, err := sqlitefile.In(ctx, tx, s.dropFile).ExecContext(ctx, p.ID); err != nil {
			return err
		}
		named := false
		err := sqlitefile.In(ctx, tx, s.findHash).QueryRowContext(ctx, p.Hash).Scan(&named)
		if err != nil || named {
			return err
		}
		return p.Remove(ctx)
	})
}

// fileRows runs a statement that answers files.
func fileRows(ctx context.Context, stmt sqlitefile.Statement, args ...any) (all []file.File, err error) {
	var (
		f          file.File
		createTime int64
	)
	into := []any{&f.ID, &f.Hash, &f.Type, &f.Size, &f.Name, &createTime, &f.CreatorID}
	err = sqlitefile.ForEachRow(ctx, stmt, args, into, func() error {
		f.CreateTime = instant(createTime)
		all = append(all, f)
		return nil
	})
	return all, err
}
