package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/reconcile"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/portalhub/internal/people"
)

var _ people.Store = (*Store)(nil)

// errOvertaken is a lost upsert that cannot be repeated.
var errOvertaken error = fault.Wrap(fault.Unavailable, "the database is not available",
	errors.New("upsert people: the connection was lost, and somebody was changed before the repeat"))

// UpsertPeople decides in one statement. When the connection is lost, nobody knows whether it was done. Doing it
// once more is right unless another change came in between, which must not be undone; then the caller has to
// decide. The server ends the statement when it and another one wait for each other, or when the other one has
// taken one of its user ids; then it stores nobody.
func (s *Store) UpsertPeople(ctx context.Context, st people.Stamp, entries []people.Entry) (stored map[string]bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout+time.Duration(len(entries))*time.Millisecond)
	defer cancel()
	var repeated bool
	err = s.Call(ctx, func(conn pg.Session, unknown bool) error {
		repeated, stored = unknown, make(map[string]bool, len(entries))
		rows, err := conn.Query(ctx, upsertPeople, append(entryArrays(entries), people.Feed, st.Now, st.By, repeated)...)
		if err != nil {
			return err
		}
		var username string
		_, err = pgx.ForEachRow(rows, []any{&username}, func() error {
			stored[username] = true
			return nil
		})
		if pg.IsDeadlock(err) || pg.IsDuplicate(err) {
			stored = nil
			return nil
		}
		return err
	})
	if err == nil && repeated && len(stored) < len(entries) {
		return nil, errOvertaken
	}
	return stored, pg.Failed("upsert people", err)
}

// entryArrays are the first binds of upsertPeople.
func entryArrays(entries []people.Entry) []any {
	n := len(entries)
	usernames, ids, names := make([]string, n), make([]string, n), make([]string, n)
	emails, depts, actives := make([]string, n), make([]string, n), make([]bool, n)
	for i, e := range entries {
		usernames[i], ids[i], names[i] = e.Username, e.UserID, e.Name
		emails[i], depts[i], actives[i] = e.Email, e.DeptID, e.Active
	}
	return []any{usernames, ids, names, emails, depts, actives}
}

// ReconcilePeople decides in one statement. Its time grows with the range of user ids, and is the context's as in
// WalkPeople. A repeat after a lost connection makes inactive whom the lost run has left, and counts those alone.
func (s *Store) ReconcilePeople(ctx context.Context, p people.ReconcileParams) (result people.ReconcileResult, err error) {
	var gone, closed, open int64
	list := texts(p.Open)
	err = s.CallHeavy(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, reconcilePeople,
			list, p.From, p.To, people.Feed, p.AsOf, p.MaxClose, p.DryRun, p.Now, p.By, reconcile.MaxClosedIDs)
		if err != nil {
			return err
		}
		_, err = pgx.ForEachRow(rows, []any{&gone, &result.IDs, &closed, &open}, func() error { return nil })
		return err
	})
	result.Closed, result.Missing = closed, int64(len(p.Open))-open
	if p.DryRun || gone > p.MaxClose {
		result.Closed = gone
	}
	return result, pg.Failed("reconcile people", err)
}

// LogInPerson decides in one statement. A repeat after a lost connection changes nothing more.
func (s *Store) LogInPerson(ctx context.Context, p people.LogInParams) (admitted bool, err error) {
	admitted, err = s.exec(ctx, logInPerson,
		p.Username, p.Issuer, p.Subject, p.Name, p.Email, people.Login, p.Now, p.By, p.Create)
	return admitted, pg.Failed("log in person", err)
}

// GetPerson reads one row by its key, and what belongs to it, of one moment.
func (s *Store) GetPerson(ctx context.Context, username string) (m people.Member, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var r personRow
	into := append(r.fields(), &m.Issuer, &m.Subject, &m.Claims, &m.Roles, &m.Departments)
	err = s.Call(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, getPerson, username, people.MaxDepth)
		if err != nil {
			return err
		}
		done, err := pgx.ForEachRow(rows, into, func() error { return nil })
		if err == nil && done.RowsAffected() == 0 {
			return people.ErrUnknown
		}
		return err
	})
	m.Person = r.person()
	return m, pg.Failed("get person", err)
}

// ResolveUsers reads the rows of all ids in one statement.
func (s *Store) ResolveUsers(ctx context.Context, userIDs []string) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	known := make(map[string]string, len(userIDs))
	err := s.Call(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, resolveUsers, texts(userIDs))
		if err != nil {
			return err
		}
		var id, name string
		_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
			known[id] = name
			return nil
		})
		return err
	})
	return known, pg.Failed("resolve users", err)
}
