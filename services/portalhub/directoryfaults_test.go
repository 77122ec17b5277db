package portalhub_test

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
)

func TestDirectoryFaults(t *testing.T) {
	d := newDirectory(t)
	long := strings.Repeat("x", 256)
	for want, u := range map[string]*peoplev1.FeedUser{
		"user id must not be empty":                                                        {Username: "amy"},
		"user id must not contain control characters":                                      {UserId: "\n", Username: "amy"},
		"username must not be empty":                                                       {UserId: "1", Username: " "},
		"username must be at most 128 characters":                                          {UserId: "1", Username: long},
		"name must be at most 255 characters":                                              {UserId: "1", Username: "amy", Name: long},
		"dept id must not contain control characters":                                      {UserId: "1", Username: "amy", DeptId: "a\n"},
		"email must be an address of at most 320 characters, with an @ and without blanks": {UserId: "1", Username: "amy", Email: "amy at home"},
	} {
		if u.UserId == "\n" {
			u.UserId = "a\n"
		}
		out, err := d.UpsertUsers(d.feed(), &peoplev1.UpsertUsersRequest{Users: []*peoplev1.FeedUser{u}})
		if err != nil || out.GetResults()[0].GetError() != want {
			t.Errorf("%v: %v, %v, want %q", u, out, err, want)
		}
	}
	_, err := d.UpsertUsers(d.feed(), &peoplev1.UpsertUsersRequest{})
	wantFault(t, err, codes.InvalidArgument, "users must not be empty")
	_, err = d.UpsertUsers(d.feed(), &peoplev1.UpsertUsersRequest{Users: slices.Repeat([]*peoplev1.FeedUser{{UserId: "1"}}, 501)})
	wantFault(t, err, codes.InvalidArgument, "users must have at most 500 entries")
	for _, r := range []struct {
		in   *peoplev1.UpsertDepartmentRequest
		want string
	}{
		{&peoplev1.UpsertDepartmentRequest{Name: "n"}, "dept id must not be empty"},
		{&peoplev1.UpsertDepartmentRequest{DeptId: "a"}, "name must not be empty"},
		{&peoplev1.UpsertDepartmentRequest{DeptId: "a", ParentId: "..", Name: "n"}, `parent id must not be ".."`},
	} {
		_, err := d.UpsertDepartment(d.feed(), r.in)
		wantFault(t, err, codes.InvalidArgument, r.want)
	}
	for _, r := range []struct {
		in   *peoplev1.UpsertRoleRequest
		want string
	}{
		{&peoplev1.UpsertRoleRequest{Name: "n"}, "role id must not be empty"},
		{&peoplev1.UpsertRoleRequest{RoleId: "a"}, "name must not be empty"},
		{&peoplev1.UpsertRoleRequest{RoleId: "a", Name: "n", UserIds: []string{"1", ""}}, "user ids[1] must not be empty"},
		{&peoplev1.UpsertRoleRequest{RoleId: "a", Name: "n", UserIds: make([]string, 10_001)}, "user ids must have at most 10000 entries"},
	} {
		_, err := d.UpsertRole(d.feed(), r.in)
		wantFault(t, err, codes.InvalidArgument, r.want)
	}
	empty := ""
	for _, r := range []struct {
		in   *peoplev1.ListUsersRequest
		want string
	}{
		{&peoplev1.ListUsersRequest{PageToken: "c1.x"}, "cursor is not valid for this list"},
		{&peoplev1.ListUsersRequest{PageToken: "x"}, "cursor is not valid for this list"},
		{&peoplev1.ListUsersRequest{DeptId: &empty}, "dept id must not be empty"},
		{&peoplev1.ListUsersRequest{RoleId: &empty}, "role id must not be empty"},
		{&peoplev1.ListUsersRequest{Size: new(int64)}, "size must be an integer of at least 1"},
		{&peoplev1.ListUsersRequest{Q: &long}, "q must be at most 255 characters"},
	} {
		_, err := d.ListUsers(d.feed(), r.in)
		wantFault(t, err, codes.InvalidArgument, r.want)
	}
}

func TestDepartmentsThatMayNotStandThere(t *testing.T) {
	d := newDirectory(t)
	for _, step := range []struct{ id, parent, want string }{
		{"a", "", ""},
		{"b", "a", ""},
		{"a", "b", "the department would stand below itself"},
		{"c", "c", "the department would stand below itself"},
	} {
		_, err := d.UpsertDepartment(d.feed(), &peoplev1.UpsertDepartmentRequest{DeptId: step.id, ParentId: step.parent, Name: "n"})
		if step.want == "" && err != nil {
			t.Fatal(err)
		}
		if step.want != "" {
			wantFault(t, err, codes.FailedPrecondition, step.want)
		}
	}
}
