package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/portalhub/internal/session"
)

var _ session.Store = (*Store)(nil)

// sessionStatements are those of the sessions.
type sessionStatements struct {
	beginSession, getSession, renewSession, endSession *sql.Stmt
	selectSessionUsers, deleteOldSessions              *sql.Stmt
}

func (s *Store) prepareSessions(ctx context.Context, p *sqlitefile.Preparer) {
	s.sessionStatements = sessionStatements{
		beginSession:       p.Prepare(ctx, s.file.Write, beginSession),
		getSession:         p.Prepare(ctx, s.file.Read, getSession),
		renewSession:       p.Prepare(ctx, s.file.Write, renewSession),
		endSession:         p.Prepare(ctx, s.file.Write, endSession),
		selectSessionUsers: p.Prepare(ctx, s.file.Read, selectSessionUsers),
		deleteOldSessions:  p.Prepare(ctx, s.file.Write, deleteOldSessions),
	}
}

// BeginSession inserts one row.
func (s *Store) BeginSession(ctx context.Context, p session.BeginParams) error {
	claims, err := texts(p.Claims)
	if err != nil {
		return err
	}
	_, err = s.exec(ctx, "begin session", s.beginSession, p.Hash, p.Username, claims, micros(p.Now))
	return err
}

// GetSession reads one row by its key.
func (s *Store) GetSession(ctx context.Context, p session.GetParams) (session.Session, error) {
	var (
		row            session.Session
		claims         []byte
		begun, renewed int64
		ended          sql.NullInt64
		found          bool
	)
	into := []any{&row.Hash, &row.Username, &claims, &begun, &renewed, &ended}
	err := sqlitefile.ForEachRow(ctx, s.getSession, []any{p.Hash}, into, func() error {
		found = true
		return json.Unmarshal(claims, &row.Claims)
	})
	switch {
	case err != nil:
		return session.Session{}, s.file.Failed(ctx, "get session", err)
	case !found:
		return session.Session{}, session.ErrUnknown
	}
	row.Begun, row.Renewed = instant(begun), instant(renewed)
	if ended.Valid {
		at := instant(ended.Int64)
		row.Ended = &at
	}
	return row, nil
}

// RenewSession decides in one statement.
func (s *Store) RenewSession(ctx context.Context, p session.RenewParams) (lives bool, err error) {
	return s.exec(ctx, "renew session", s.renewSession, micros(p.Now), p.Hash)
}

// EndSession decides in one statement.
func (s *Store) EndSession(ctx context.Context, p session.EndParams) error {
	_, err := s.exec(ctx, "end session", s.endSession, micros(p.Now), p.Hash)
	return err
}

// exec runs a statement that answers no rows, and tells whether it changed one.
func (s *Store) exec(ctx context.Context, doing string, stmt *sql.Stmt, args ...any) (changed bool, err error) {
	err = s.file.Change(ctx, doing, func(ctx context.Context, tx *sql.Tx) error {
		done, err := sqlitefile.In(ctx, tx, stmt).ExecContext(ctx, args...)
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		if changed = n > 0; err == nil && !changed {
			return sqlitefile.ErrUnchanged
		}
		return err
	})
	return changed && err == nil, err
}

func micros(t time.Time) int64 { return t.UnixMicro() }

func instant(micros int64) time.Time { return time.UnixMicro(micros).UTC() }
