package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/portalhub/internal/people"
)

// UpsertDepartment looks and writes in one transaction, one at a time.
func (s *Store) UpsertDepartment(ctx context.Context, p people.UpsertDepartmentParams) (result people.DepartmentResult, err error) {
	err = s.change(ctx, func(ctx context.Context, tx pgx.Tx) error {
		result = people.DepartmentResult{}
		if _, err := tx.Exec(ctx, lockDepartments); err != nil {
			return err
		}
		row := tx.QueryRow(ctx, checkDepartment, p.ID, p.ParentID, people.MaxDepth)
		if err := row.Scan(&result.Circle, &result.Deep); err != nil || result.Circle || result.Deep {
			return err
		}
		row = tx.QueryRow(ctx, upsertDepartment, p.ID, p.ParentID, p.Name, p.Now, p.By)
		return row.Scan(departmentFields(&result.Department)...)
	})
	return result, pg.Failed("upsert department", err)
}

// UpsertRole locks the role first, so that of two that come together one replaces the other.
func (s *Store) UpsertRole(ctx context.Context, p people.UpsertRoleParams) (result people.RoleResult, err error) {
	ids := texts(p.UserIDs)
	err = s.change(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, upsertRole, p.ID, p.Name, p.Now, p.By); err != nil {
			return err
		}
		for _, statement := range []string{deleteMembers, insertMembers} {
			if _, err := tx.Exec(ctx, statement, p.ID, ids); err != nil {
				return err
			}
		}
		return tx.QueryRow(ctx, countMembers, p.ID).Scan(&result.Members, &result.Unknown)
	})
	return result, pg.Failed("upsert role", err)
}

// change runs f in one transaction.
func (s *Store) change(ctx context.Context, f func(ctx context.Context, tx pgx.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return s.Call(ctx, func(conn pg.Session, _ bool) error {
		return pgx.BeginFunc(ctx, conn.Conn, func(tx pgx.Tx) error { return f(ctx, tx) })
	})
}
