package people

import (
	"context"
	"fmt"
	"slices"

	"example.com/hub/pkg/field"
)

// RoleRequest is a role with all its members, as a feed tells of it.
type RoleRequest struct {
	ID, Name string
	UserIDs  []string
}

// UpsertRole creates a role, or replaces its name and its members. Faults: Invalid.
func (s *Service) UpsertRole(ctx context.Context, client string, r RoleRequest) (RoleResult, error) {
	var c field.Checks
	c.ID("role_id", r.ID)
	c.Text("name", r.Name, MaxName, field.Required)
	c.Entries("user_ids", len(r.UserIDs), MaxMembers)
	checkIDs(&c, "user_ids", r.UserIDs)
	if err := c.Err(); err != nil {
		return RoleResult{}, err
	}
	members := slices.Compact(slices.Sorted(slices.Values(r.UserIDs)))
	result, err := s.store.UpsertRole(ctx, UpsertRoleParams{Stamp: s.stamp(client), ID: r.ID, Name: r.Name, UserIDs: members})
	if err != nil {
		return RoleResult{}, err
	}
	s.audit.InfoContext(ctx, "role told", "client", client, "role_id", r.ID, "members", result.Members, "unknown", result.Unknown)
	return result, nil
}

// checkIDs stops at the first fault, since the list may be long.
func checkIDs(c *field.Checks, name string, ids []string) {
	for i, id := range ids {
		if c.Err() != nil {
			return
		}
		c.ID(fmt.Sprintf("%s[%d]", name, i), id)
	}
}
