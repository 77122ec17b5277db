package grpcapi

import (
	"context"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/pbtime"
	"example.com/hub/pkg/reconcile"
	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
	"example.com/hub/services/portalhub/internal/people"
)

// UpsertUsers takes who the feed is from the caller's token.
func (s *People) UpsertUsers(
	ctx context.Context, in *peoplev1.UpsertUsersRequest,
) (*peoplev1.UpsertUsersResponse, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	entries := make([]people.Entry, len(in.GetUsers()))
	for i, u := range in.GetUsers() {
		entries[i] = people.Entry{
			UserID: u.GetUserId(), Username: u.GetUsername(), Name: u.GetName(), Email: u.GetEmail(), DeptID: u.GetDeptId(),
			Active: u.Active == nil || u.GetActive(),
		}
	}
	results, err := s.service.UpsertUsers(ctx, caller.Name(), entries)
	if err != nil {
		return nil, err
	}
	m := &peoplev1.UpsertUsersResponse{Results: make([]*peoplev1.UpsertUserResult, len(results))}
	for i, r := range results {
		m.Results[i] = &peoplev1.UpsertUserResult{UserId: r.UserID}
		if r.Err == nil {
			m.Stored++
			continue
		}
		m.Results[i].Error = fault.As(r.Err).Public
		m.Failed++
	}
	return m, nil
}

// UpsertDepartment creates or replaces a department.
func (s *People) UpsertDepartment(
	ctx context.Context, in *peoplev1.UpsertDepartmentRequest,
) (*peoplev1.UpsertDepartmentResponse, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	d, err := s.service.UpsertDepartment(ctx, caller.Name(), people.DepartmentRequest{
		ID: in.GetDeptId(), ParentID: in.GetParentId(), Name: in.GetName(),
	})
	if err != nil {
		return nil, err
	}
	return &peoplev1.UpsertDepartmentResponse{Department: department(&d)}, nil
}

// UpsertRole creates or replaces a role with its members.
func (s *People) UpsertRole(
	ctx context.Context, in *peoplev1.UpsertRoleRequest,
) (*peoplev1.UpsertRoleResponse, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	done, err := s.service.UpsertRole(ctx, caller.Name(), people.RoleRequest{
		ID: in.GetRoleId(), Name: in.GetName(), UserIDs: in.GetUserIds(),
	})
	if err != nil {
		return nil, err
	}
	return &peoplev1.UpsertRoleResponse{Members: done.Members, Unknown: done.Unknown}, nil
}

// ReconcileUsers makes inactive who is gone.
func (s *People) ReconcileUsers(
	ctx context.Context, in *peoplev1.ReconcileUsersRequest,
) (*peoplev1.ReconcileUsersResponse, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	done, err := s.service.Reconcile(ctx, caller.Name(), people.ReconcileRequest{
		Range: reconcile.Range{
			AsOf: pbtime.Instant(in.GetAsOf()), From: in.GetFrom(), To: in.To, MaxClose: in.MaxClose, DryRun: in.GetDryRun(),
		},
		Open: in.GetOpen(),
	})
	if err != nil {
		return nil, err
	}
	return &peoplev1.ReconcileUsersResponse{Closed: done.Closed, ClosedIds: done.IDs, Missing: done.Missing}, nil
}

// ListUsers answers a page of people.
func (s *People) ListUsers(
	ctx context.Context, in *peoplev1.ListUsersRequest,
) (*peoplev1.ListUsersResponse, error) {
	page, err := s.service.List(ctx, people.ListRequest{
		DeptID: in.DeptId, RoleID: in.RoleId, Prefix: in.Q, Cursor: in.GetPageToken(), Size: in.Size,
	})
	if err != nil {
		return nil, err
	}
	m := &peoplev1.ListUsersResponse{Users: make([]*peoplev1.User, len(page.People)), Size: page.Size, NextPageToken: page.Next}
	for i := range page.People {
		m.Users[i] = user(&page.People[i])
	}
	return m, nil
}
