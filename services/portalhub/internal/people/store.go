package people

import (
	"context"
	"time"

	"example.com/hub/pkg/field"
)

// Store keeps the directory. Its methods are safe for concurrent use, and what they answered is durable.
//
// Strings are compared and ordered byte by byte. Each change is atomic. A store that is away or too slow
// answers with a fault of kind Unavailable; the call may then have had its effect, and may be repeated.
type Store interface {
	Changes
	Reader
}

// Changes are what feeds and logins change.
type Changes interface {
	// UpsertPeople creates people of Feed, or replaces the Entry of those with the same username, and makes
	// them people of Feed; CreateTime, CreatorID, Issuer and Subject stay. It leaves who has another user id, or
	// whose user id somebody else has, and gives the usernames of those that it stored. The entries come in
	// the order of the usernames, and no username or user id stands twice. It stores none where another
	// change that holds several people would wait for it.
	UpsertPeople(ctx context.Context, st Stamp, entries []Entry) (stored map[string]bool, err error)

	// UpsertDepartment creates or replaces a department, unless the result says why it may not.
	UpsertDepartment(ctx context.Context, p UpsertDepartmentParams) (DepartmentResult, error)

	// UpsertRole creates a role, or replaces its name and its members.
	UpsertRole(ctx context.Context, p UpsertRoleParams) (RoleResult, error)

	// ReconcilePeople makes inactive who is of Feed, active, with a user id behind p.From and not behind p.To and a
	// ModifyTime before p.AsOf, and not in p.Open. The result has one more than p.MaxClose where there are
	// more, and then nothing is changed.
	ReconcilePeople(ctx context.Context, p ReconcileParams) (ReconcileResult, error)

	// LogInPerson notes a login: Issuer and Subject of the first one, and for people of Login the name, the email
	// and the ModifyTime. It creates a person of Login where p.Create and there is none. Otherwise, and where
	// she is inactive or of another issuer or subject, nothing is changed and admitted is false.
	LogInPerson(ctx context.Context, p LogInParams) (admitted bool, err error)
}

// Reader reads.
type Reader interface {
	// WalkPeople answers the people that match behind a place of the list, at most a page of them, by username.
	WalkPeople(ctx context.Context, p WalkParams) ([]Person, error)

	// GetPerson reads a person as last committed; a miss is the fault ErrUnknown.
	GetPerson(ctx context.Context, username string) (Member, error)

	// ResolveUsers gives the usernames of user ids that are known.
	ResolveUsers(ctx context.Context, userIDs []string) (map[string]string, error)

	// SelectPeople gives the usernames of who matches, at most limit of them in no order.
	SelectPeople(ctx context.Context, f Filter, limit int) ([]string, error)
}

// Stamp says who changes a record, and when.
type Stamp struct {
	// By is the name of an auth.Principal.
	By string
	// Now is in microseconds. It becomes the ModifyTime, unless that is later: clocks step back, and the time
	// of a record does not.
	Now time.Time
}

// UpsertDepartmentParams is a valid upsert.
type UpsertDepartmentParams struct {
	Stamp
	ID, ParentID, Name string
}

// DepartmentResult is the department as stored, unless it may not stand there.
type DepartmentResult struct {
	Department Department
	// Circle says that it would stand below itself, and Deep that a department would be deeper than MaxDepth.
	Circle, Deep bool
}

// UpsertRoleParams is a valid upsert.
type UpsertRoleParams struct {
	Stamp
	ID, Name string
	// UserIDs are sorted, and none stands twice.
	UserIDs []string
}

// RoleResult is what became of the members of a role.
type RoleResult struct {
	Members int64
	// Unknown is how many of them no person has as user id.
	Unknown int64
}

// ReconcileParams is a valid reconcile.
type ReconcileParams struct {
	Stamp
	AsOf time.Time
	// From is the user id behind which the range begins, and To its last one or nil.
	From string
	To   *string
	// Open are ascending, and inside the range.
	Open     []string
	MaxClose int64
	DryRun   bool
}

// LogInParams is a valid login.
type LogInParams struct {
	Stamp
	Username, Issuer, Subject string
	Name, Email               string
	// Create makes a person of who is unknown.
	Create bool
}

// Filter selects people; what is empty selects all.
type Filter struct {
	// DeptID is a department, for its people and those of all below it.
	DeptID string
	// RoleID is a role, for its members.
	RoleID string
}

// WalkParams selects the people behind a place of a list.
type WalkParams struct {
	Filter
	// Prefix is what the username or the name begins with.
	Prefix string
	// After is the username behind which the page begins.
	After string
	// Size is the number of people, from 1.
	Size int64
}

// End is the last text that begins with the Prefix and is a username or a name.
func (p WalkParams) End() string { return p.Prefix + lastTexts }

// MaxName is the longest name, in characters.
const MaxName = field.MaxID
