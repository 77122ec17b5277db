package sqlite

import (
	"database/sql"

	"example.com/hub/pkg/store"
	"example.com/hub/services/portalhub/internal/people"
)

// personColumns are those of a person, in the order of personRow.fields.
var personColumns = store.Columns{
	"username", "user_id", "name", "email", "dept_id", "active", "origin",
	"create_time", "modify_time", "creator_id", "modifier_id",
}

// personRow is where the columns of a person go.
type personRow struct {
	people.Person
	userID                 sql.NullString
	createTime, modifyTime int64
}

func (r *personRow) fields() []any {
	p := &r.Person
	return []any{
		&p.Username, &r.userID, &p.Name, &p.Email, &p.DeptID, &p.Active, &p.Origin,
		&r.createTime, &r.modifyTime, &p.CreatorID, &p.ModifierID,
	}
}

func (r *personRow) person() people.Person {
	p := r.Person
	p.UserID = r.userID.String
	p.CreateTime, p.ModifyTime = instant(r.createTime), instant(r.modifyTime)
	return p
}

// departmentColumns are those of a department, in the order of departmentRow.fields.
var departmentColumns = store.Columns{
	"dept_id", "parent_id", "name", "create_time", "modify_time", "creator_id", "modifier_id",
}

// departmentRow is where the columns of a department go.
type departmentRow struct {
	people.Department
	createTime, modifyTime int64
}

func (r *departmentRow) fields() []any {
	d := &r.Department
	return []any{&d.ID, &d.ParentID, &d.Name, &r.createTime, &r.modifyTime, &d.CreatorID, &d.ModifierID}
}

func (r *departmentRow) department() people.Department {
	d := r.Department
	d.CreateTime, d.ModifyTime = instant(r.createTime), instant(r.modifyTime)
	return d
}
