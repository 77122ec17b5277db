package directory

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"example.com/hub/pkg/field"
	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/shape"
)

// perUser is what a call gets on top of the call timeout for each user.
const perUser = time.Millisecond

// maxMembers is how many members a role may have. One more is handed on, so that the hub sees that there are
// too many.
const maxMembers = 10_000

// UsersBody is the body of POST /directory/users.
type UsersBody struct {
	Users rest.Batch `json:"users"`
}

// UserBody is a person as a feed tells of her.
type UserBody struct {
	UserID   string `json:"userId"`
	Username string `json:"username"`
	Name     string `json:"name"`
	Email    string `json:"email"`
	DeptID   string `json:"deptId"`
	Active   *bool  `json:"active"`
}

// userResults is a peoplev1.UpsertUsersResponse.
var userResults = rest.Results{ID: "userId", Counts: []string{"stored", "failed"}}

// readUsers refuses a user who cannot be read.
func readUsers(r *rest.Request, m *peoplev1.UpsertUsersRequest) error {
	in, err := rest.Body[UsersBody](r)
	if err != nil {
		return err
	}
	faults := rest.Refused{}
	for i, raw := range in.Users {
		user := &peoplev1.FeedUser{}
		if body, err := rest.Decode[UserBody](raw); err != nil {
			faults[i] = userResults.Refuse(raw, err)
		} else {
			user.UserId, user.Username, user.Name = body.UserID, body.Username, body.Name
			user.Email, user.DeptId, user.Active = body.Email, body.DeptID, body.Active
		}
		m.Users = append(m.Users, user)
	}
	r.Keep(faults)
	r.More(time.Duration(len(m.Users)) * perUser)
	return nil
}

// DepartmentBody is the body of POST /directory/departments.
type DepartmentBody struct {
	DeptID   string `json:"deptId"`
	ParentID string `json:"parentId"`
	Name     string `json:"name"`
}

func readDepartment(r *rest.Request, m *peoplev1.UpsertDepartmentRequest) error {
	in, err := rest.Body[DepartmentBody](r)
	if err != nil {
		return err
	}
	m.DeptId, m.ParentId, m.Name = in.DeptID, in.ParentID, in.Name
	return nil
}

// RoleBody is the body of POST /directory/roles.
type RoleBody struct {
	RoleID  string  `json:"roleId"`
	Name    string  `json:"name"`
	UserIDs members `json:"userIds"`
}

// members are user ids. As many as are needed to see that there are too many are kept.
type members []string

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (l *members) UnmarshalJSONFrom(d *jsontext.Decoder) (err error) {
	*l, err = rest.Entries(d, maxMembers+1, readText)
	return err
}

func readText(d *jsontext.Decoder) (text string, err error) {
	err = json.UnmarshalDecode(d, &text)
	return text, err
}

func readRole(r *rest.Request, m *peoplev1.UpsertRoleRequest) error {
	in, err := rest.Body[RoleBody](r)
	if err != nil {
		return err
	}
	m.RoleId, m.Name, m.UserIds = in.RoleID, in.Name, in.UserIDs
	r.More(time.Duration(len(in.UserIDs)) * perUser)
	return nil
}

// ReconcileBody is the body of POST /directory/users/reconcile.
type ReconcileBody struct {
	AsOf     string  `json:"asOf"`
	From     string  `json:"from"`
	To       *string `json:"to"`
	Open     open    `json:"open"`
	MaxClose *int64  `json:"maxClose"`
	DryRun   bool    `json:"dryRun"`
}

// open is like members.
type open []string

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (l *open) UnmarshalJSONFrom(d *jsontext.Decoder) (err error) {
	*l, err = rest.Entries(d, field.MaxOpen+1, readText)
	return err
}

func readReconcile(r *rest.Request, m *peoplev1.ReconcileUsersRequest) error {
	in, err := rest.Body[ReconcileBody](r)
	if err != nil {
		return err
	}
	m.AsOf = shape.ParseInstant(in.AsOf)
	m.From, m.To, m.Open, m.MaxClose, m.DryRun = in.From, in.To, in.Open, in.MaxClose, in.DryRun
	r.More(time.Duration(len(in.Open)) * perUser)
	return nil
}

func readList(r *rest.Request, m *peoplev1.ListUsersRequest) error {
	token, size := r.Walk()
	m.PageToken, m.Size = token, size
	m.DeptId, m.RoleId, m.Q = r.Optional("deptId"), r.Optional("roleId"), r.Optional("q")
	return nil
}
