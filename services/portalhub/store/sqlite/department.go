package sqlite

import (
	"context"
	"database/sql"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/portalhub/internal/people"
)

// UpsertDepartment looks and writes in one transaction, which no other change is beside.
func (s *Store) UpsertDepartment(ctx context.Context, p people.UpsertDepartmentParams) (result people.DepartmentResult, err error) {
	err = s.file.Change(ctx, "upsert department", func(ctx context.Context, tx *sql.Tx) error {
		row := sqlitefile.In(ctx, tx, s.checkDepartment).QueryRowContext(ctx, p.ParentID, people.MaxDepth, p.ID)
		if err := row.Scan(&result.Circle, &result.Deep); err != nil {
			return err
		}
		if result.Circle || result.Deep {
			return sqlitefile.ErrUnchanged
		}
		var r departmentRow
		args := []any{p.ID, p.ParentID, p.Name, micros(p.Now), p.By}
		return sqlitefile.ForEachRow(ctx, sqlitefile.In(ctx, tx, s.upsertDepartment), args, r.fields(), func() error {
			result.Department = r.department()
			return nil
		})
	})
	return result, err
}

// UpsertRole replaces the members in one transaction, which no other change is beside.
func (s *Store) UpsertRole(ctx context.Context, p people.UpsertRoleParams) (result people.RoleResult, err error) {
	ids, err := texts(p.UserIDs)
	if err != nil {
		return result, err
	}
	err = s.file.Change(ctx, "upsert role", func(ctx context.Context, tx *sql.Tx) error {
		if _, err := sqlitefile.In(ctx, tx, s.upsertRole).ExecContext(ctx, p.ID, p.Name, micros(p.Now), p.By); err != nil {
			return err
		}
		for _, statement := range []*sql.Stmt{s.deleteMembers, s.insertMembers} {
			if _, err := sqlitefile.In(ctx, tx, statement).ExecContext(ctx, p.ID, ids); err != nil {
				return err
			}
		}
		return sqlitefile.In(ctx, tx, s.countMembers).QueryRowContext(ctx, p.ID).Scan(&result.Members, &result.Unknown)
	})
	return result, err
}
