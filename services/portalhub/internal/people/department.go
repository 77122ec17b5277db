package people

import (
	"context"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
)

// DepartmentRequest is a department as a feed tells of it.
type DepartmentRequest struct {
	ID, ParentID, Name string
}

// UpsertDepartment creates a department, or replaces what is there. Faults: Invalid; Conflict where it would
// stand below itself, or a department deeper than MaxDepth.
func (s *Service) UpsertDepartment(ctx context.Context, client string, r DepartmentRequest) (Department, error) {
	var c field.Checks
	c.ID("dept_id", r.ID)
	optionalID(&c, "parent_id", r.ParentID)
	c.Text("name", r.Name, MaxName, field.Required)
	if err := c.Err(); err != nil {
		return Department{}, err
	}
	result, err := s.store.UpsertDepartment(ctx, UpsertDepartmentParams{
		Stamp: s.stamp(client), ID: r.ID, ParentID: r.ParentID, Name: r.Name,
	})
	switch {
	case err != nil:
		return Department{}, err
	case result.Circle:
		return Department{}, fault.New(fault.Conflict, "the department would stand below itself")
	case result.Deep:
		return Department{}, fault.Newf(fault.Conflict, "departments may be at most %d deep", MaxDepth)
	}
	s.audit.InfoContext(ctx, "department told", "client", client, "dept_id", r.ID, "parent_id", r.ParentID)
	return result.Department, nil
}
