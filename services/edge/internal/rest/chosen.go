package rest

import (
	"context"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/field"
)

// Groups know who is in departments and roles.
type Groups interface {
	// Select gives the usernames of a department with all below it, and of a role; nil is no filter, and one is
	// given. Its errors are those of a call: of the code InvalidArgument also where there are too many, and
	// Unavailable while nobody can tell.
	Select(ctx context.Context, deptID, roleID *string) ([]string, error)
}

// Chosen are the users of an administrator's list.
type Chosen struct {
	// Usernames are those whom every filter leaves; there may be none.
	Usernames []string
	// By says by which filters.
	By string
}

// ChooseUsers reads the filters userId, deptId and roleId. Where there is one, put gets the users once the
// request is read, and before the call is made. An id of nobody chooses nobody.
func (r *Request) ChooseUsers(put func(Chosen)) {
	ids, by := map[string]*string{}, make([]string, 0, 3)
	var c field.Checks
	for _, f := range [][2]string{{"userId", "user_id"}, {"deptId", "dept_id"}, {"roleId", "role_id"}} {
		id := r.Optional(f[0])
		if id == nil {
			continue
		}
		c.ID(f[1], *id)
		ids[f[0]], by = id, append(by, f[0]+"="+*id)
	}
	if r.fault == nil {
		r.fault = c.Err()
	}
	if len(ids) == 0 {
		return
	}
	r.before = func(ctx context.Context, l *limits) error {
		usernames, err := l.choose(ctx, ids["userId"], ids["deptId"], ids["roleId"])
		if err != nil {
			return err
		}
		put(Chosen{Usernames: usernames, By: strings.Join(by, "\n")}) // ids have no line ends
		return nil
	}
}

// choose gives the usernames that all filters leave. Its errors are those of a call.
func (l *limits) choose(ctx context.Context, userID, deptID, roleID *string) (chosen []string, err error) {
	if deptID != nil || roleID != nil {
		if l.groups == nil {
			return nil, status.Error(codes.InvalidArgument, "departments and roles are not known here")
		}
		if chosen, err = l.groups.Select(ctx, deptID, roleID); err != nil || userID == nil {
			return chosen, err //nolint:wrapcheck // it is the status of a call
		}
	}
	named, err := l.usernames(ctx, []string{*userID})
	if err != nil {
		return nil, err
	}
	var c field.Checks
	if c.Username("user_id", named[0], field.Optional); c.Err() != nil {
		return nil, status.Error(codes.InvalidArgument, c.Err().Error())
	}
	grouped := deptID != nil || roleID != nil
	if named[0] == "" || grouped && !slices.Contains(chosen, named[0]) {
		return nil, nil
	}
	return named, nil
}
