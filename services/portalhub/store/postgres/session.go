package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/portalhub/internal/session"
)

var _ session.Store = (*Store)(nil)

// BeginSession inserts one row. A repeat after a lost connection finds what the lost run inserted.
func (s *Store) BeginSession(ctx context.Context, p session.BeginParams) error {
	claims := p.Claims
	if claims == nil {
		claims = []string{} // nil is null
	}
	_, err := s.exec(ctx, beginSession, p.Hash, p.Username, claims, p.Now)
	return pg.Failed("begin session", err)
}

// GetSession reads one row by its key.
func (s *Store) GetSession(ctx context.Context, p session.GetParams) (row session.Session, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err = s.Call(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, getSession, p.Hash)
		if err != nil {
			return err
		}
		row, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[session.Session])
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return session.Session{}, session.ErrUnknown
	}
	return row, pg.Failed("get session", err)
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
