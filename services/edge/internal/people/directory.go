package people

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/fault"
	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
)

// callTime is the longest that a login or a question about one person waits for the directory.
const callTime = 2 * time.Second

// Directory asks portalhub of people.
type Directory struct{ calls peoplev1.PeopleServiceClient }

// NewDirectory makes one. Calls must be those of an edge.
func NewDirectory(calls peoplev1.PeopleServiceClient) *Directory { return &Directory{calls} }

// LogIn notes the login of a person. The error is a fault: Forbidden when she may not come in, with the cause
// login.ErrOtherSubject when her username is that of somebody else, and Unavailable while nobody can tell.
func (d *Directory) LogIn(ctx context.Context, who token.Identity) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	answer, err := d.calls.LogIn(ctx, &peoplev1.LogInRequest{
		Username: who.Username, Issuer: who.Issuer, Subject: who.Subject, Name: who.Name, Email: who.Email,
	})
	if err != nil {
		return unavailable(err)
	}
	switch answer.GetOutcome() {
	case peoplev1.LogInOutcome_LOG_IN_OUTCOME_ADMITTED:
		return nil
	case peoplev1.LogInOutcome_LOG_IN_OUTCOME_INACTIVE:
		return fault.New(fault.Forbidden, "the person is not active")
	case peoplev1.LogInOutcome_LOG_IN_OUTCOME_UNKNOWN:
		return fault.New(fault.Forbidden, "the person is not in the directory")
	case peoplev1.LogInOutcome_LOG_IN_OUTCOME_OTHER_SUBJECT:
		return errOtherSubject
	default:
		return unavailable(fmt.Errorf("the outcome of a login is %v", answer.GetOutcome()))
	}
}

// Find gives a person; ok is false for who is not in the directory. The error is a fault of kind Unavailable.
func (d *Directory) Find(ctx context.Context, username string) (p Person, ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	answer, err := d.calls.GetPerson(ctx, &peoplev1.GetPersonRequest{Username: username})
	switch {
	case status.Code(err) == codes.NotFound:
		return Person{}, false, nil
	case err != nil:
		return Person{}, false, unavailable(err)
	}
	u := answer.GetUser()
	return Person{
		Username: u.GetUsername(), UserID: u.GetUserId(), DeptID: u.GetDeptId(), Name: u.GetName(), Email: u.GetEmail(),
		Claims: answer.GetClaims(), Roles: answer.GetRoleIds(),
	}, true, nil
}

// Select gives the usernames of a department, with all below it, and of a role, sorted; nil is no filter, and
// one must be given. Its errors are those of a call: InvalidArgument, also for more than 5,000 people, or
// Unavailable while nobody can tell.
func (d *Directory) Select(ctx context.Context, deptID, roleID *string) ([]string, error) {
	answer, err := d.calls.SelectUsers(ctx, &peoplev1.SelectUsersRequest{DeptId: deptID, RoleId: roleID})
	if err != nil && status.Code(err) != codes.InvalidArgument {
		return nil, callFailed(err)
	}
	return answer.GetUsernames(), err //nolint:wrapcheck // it is the status of a call
}

// unavailable is the fault of a directory that does not answer, for whatever reason: it is none of the caller's.
func unavailable(cause error) error {
	return fault.Wrap(fault.Unavailable, "the directory is not available", cause)
}

// callFailed is unavailable as the status of a call.
func callFailed(cause error) error {
	return status.Error(codes.Unavailable, "the directory is not available: "+cause.Error())
}
