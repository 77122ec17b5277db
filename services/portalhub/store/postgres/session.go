package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/portalhub/internal/session"
)

var _ session.Store = (*Store)(nil)

var sessions = table[session.Session]{
	pgx.RowToStructByPos[session.Session], func(string) error { return session.ErrUnknown },
}

// BeginSession inserts one row. A repeat after a lost connection finds what the lost run inserted.
func (s *Store) BeginSession(ctx context.Context, p session.BeginParams) error {
	_, err := s.exec(ctx, beginSession, p.Hash, p.Username, texts(p.Claims), p.Now)
	return pg.Failed("begin session", err)
}

// GetSession reads one row by its key.
func (s *Store) GetSession(ctx context.Context, p session.GetParams) (session.Session, error) {
	return sessions.one(ctx, s, "get session", p.Hash, getSession, p.Hash)
}

// RenewSession decides in one statement.
func (s *Store) RenewSession(ctx context.Context, p session.RenewParams) (lives bool, err error) {
	changed, err := s.exec(ctx, renewSession, p.Hash, p.Now)
	return changed, pg.Failed("renew session", err)
}

// EndSession decides in one statement.
func (s *Store) EndSession(ctx context.Context, p session.EndParams) error {
	_, err := s.exec(ctx, endSession, p.Hash, p.Now)
	return pg.Failed("end session", err)
}

// exec runs a statement that answers no rows, and tells whether it changed one.
func (s *Store) exec(ctx context.Context, query string, args ...any) (changed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err = s.Call(ctx, func(conn pg.Session, _ bool) error {
		tag, err := conn.Exec(ctx, query, args...)
		changed = tag.RowsAffected() > 0
		return err
	})
	return changed, err
}
