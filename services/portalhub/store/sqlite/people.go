package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"example.com/hub/pkg/reconcile"
	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/portalhub/internal/people"
)

var _ people.Store = (*Store)(nil)

// peopleStatements are those of the directory.
type peopleStatements struct {
	upsertPerson, selectGone, countListed, deactivate, logInPerson *sql.Stmt
	getPerson, resolveUsers                                        *sql.Stmt
	checkDepartment, upsertDepartment                              *sql.Stmt
	upsertRole, deleteMembers, insertMembers, countMembers         *sql.Stmt

	walkPeople, selectPeople map[filterKey]*sql.Stmt
}

func (s *Store) preparePeople(ctx context.Context, p *sqlitefile.Preparer) {
	s.peopleStatements = peopleStatements{
		upsertPerson:     p.Prepare(ctx, s.file.Write, upsertPerson),
		selectGone:       p.Prepare(ctx, s.file.Write, selectGone),
		countListed:      p.Prepare(ctx, s.file.Write, countListed),
		deactivate:       p.Prepare(ctx, s.file.Write, deactivate),
		logInPerson:      p.Prepare(ctx, s.file.Write, logInPerson),
		getPerson:        p.Prepare(ctx, s.file.Read, getPerson),
		resolveUsers:     p.Prepare(ctx, s.file.Read, resolveUsers),
		checkDepartment:  p.Prepare(ctx, s.file.Write, checkDepartment),
		upsertDepartment: p.Prepare(ctx, s.file.Write, upsertDepartment),
		upsertRole:       p.Prepare(ctx, s.file.Write, upsertRole),
		deleteMembers:    p.Prepare(ctx, s.file.Write, deleteMembers),
		insertMembers:    p.Prepare(ctx, s.file.Write, insertMembers),
		countMembers:     p.Prepare(ctx, s.file.Write, countMembers),
		walkPeople:       map[filterKey]*sql.Stmt{},
		selectPeople:     map[filterKey]*sql.Stmt{},
	}
	for _, k := range filterKeys() {
		s.walkPeople[k] = p.Prepare(ctx, s.file.Read, k.walk())
		if !k.prefix && (k.dept || k.role) {
			s.selectPeople[k] = p.Prepare(ctx, s.file.Read, k.selected())
		}
	}
}

// UpsertPeople upserts one after the other in a transaction.
func (s *Store) UpsertPeople(ctx context.Context, st people.Stamp, entries []people.Entry) (stored map[string]bool, err error) {
	err = s.file.Change(ctx, "upsert people", func(ctx context.Context, tx *sql.Tx) error {
		stored = make(map[string]bool, len(entries))
		stmt := sqlitefile.In(ctx, tx, s.upsertPerson)
		for _, e := range entries {
			changed, err := changes(ctx, stmt,
				e.Username, e.UserID, e.Name, e.Email, e.DeptID, e.Active, people.Feed, micros(st.Now), st.By)
			if err != nil {
				return err
			}
			if changed {
				stored[e.Username] = true
			}
		}
		return nil
	})
	return stored, err
}

// ReconcilePeople finds who is gone and makes them inactive in one transaction, which no other change is beside.
func (s *Store) ReconcilePeople(ctx context.Context, p people.ReconcileParams) (result people.ReconcileResult, err error) {
	open, err := texts(p.Open)
	if err != nil {
		return result, err
	}
	err = s.file.Change(ctx, "reconcile people", func(ctx context.Context, tx *sql.Tx) error {
		var known int64
		if err := sqlitefile.In(ctx, tx, s.countListed).QueryRowContext(ctx, open).Scan(&known); err != nil {
			return err
		}
		var gone []string
		var id string
		args := []any{p.From, p.To, people.Feed, micros(p.AsOf), open, p.MaxClose}
		err := sqlitefile.ForEachRow(ctx, sqlitefile.In(ctx, tx, s.selectGone), args, []any{&id}, func() error {
			gone = append(gone, id)
			return nil
		})
		if err != nil {
			return err
		}
		result = people.ReconcileResult{
			Closed: int64(len(gone)), IDs: gone[:min(len(gone), reconcile.MaxClosedIDs)], Missing: int64(len(p.Open)) - known,
		}
		if p.DryRun || result.Closed > p.MaxClose {
			return sqlitefile.ErrUnchanged
		}
		ids, err := texts(gone)
		if err != nil {
			return err
		}
		_, err = sqlitefile.In(ctx, tx, s.deactivate).ExecContext(ctx, micros(p.Now), p.By, ids)
		return err
	})
	return result, err
}

// LogInPerson decides in one statement.
func (s *Store) LogInPerson(ctx context.Context, p people.LogInParams) (admitted bool, err error) {
	return s.exec(ctx, "log in person", s.logInPerson,
		p.Username, p.Issuer, p.Subject, p.Name, p.Email, people.Login, micros(p.Now), p.By, p.Create)
}

// GetPerson reads one row by its key, and what belongs to it, of one moment.
func (s *Store) GetPerson(ctx context.Context, username string) (m people.Member, err error) {
	var r personRow
	var claims, roles, departments []byte
	found := false
	into := append(r.fields(), &m.Issuer, &m.Subject, &claims, &roles, &departments)
	err = sqlitefile.ForEachRow(ctx, s.getPerson, []any{username, people.MaxDepth}, into, func() error {
		found = true
		return errors.Join(
			json.Unmarshal(claims, &m.Claims), json.Unmarshal(roles, &m.Roles), json.Unmarshal(departments, &m.Departments))
	})
	if err == nil && !found {
		return people.Member{}, people.ErrUnknown
	}
	m.Person = r.person()
	return m, s.file.Failed(ctx, "get person", err)
}

// ResolveUsers reads the rows of all ids in one statement.
func (s *Store) ResolveUsers(ctx context.Context, userIDs []string) (map[string]string, error) {
	ids, err := texts(userIDs)
	if err != nil {
		return nil, err
	}
	known := make(map[string]string, len(userIDs))
	var id, name string
	err = sqlitefile.ForEachRow(ctx, s.resolveUsers, []any{ids}, []any{&id, &name}, func() error {
		known[id] = name
		return nil
	})
	return known, s.file.Failed(ctx, "resolve users", err)
}

// changes runs a statement of a transaction that answers no rows, and tells whether it changed one.
func changes(ctx context.Context, stmt sqlitefile.Statement, args ...any) (bool, error) {
	done, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n > 0, err
}
