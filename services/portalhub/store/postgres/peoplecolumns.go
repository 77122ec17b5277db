package postgres

import (
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
	userID *string
	origin int16
}

func (r *personRow) fields() []any {
	p := &r.Person
	return []any{
		&p.Username, &r.userID, &p.Name, &p.Email, &p.DeptID, &p.Active, &r.origin,
		&p.CreateTime, &p.ModifyTime, &p.CreatorID, &p.ModifierID,
	}
}

func (r *personRow) person() people.Person {
	p := r.Person
	p.Origin = people.Origin(r.origin)
	p.UserID = ""
	if r.userID != nil {
		p.UserID = *r.userID
	}
	return p
}

// departmentColumns are those of a department, in the order of departmentFields.
var departmentColumns = store.Columns{
	"dept_id", "parent_id", "name", "create_time", "modify_time", "creator_id", "modifier_id",
}

func departmentFields(d *people.Department) []any {
	return []any{&d.ID, &d.ParentID, &d.Name, &d.CreateTime, &d.ModifyTime, &d.CreatorID, &d.ModifierID}
}
