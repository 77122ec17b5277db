// Package directory is the REST form of the directory: its endpoints, and the JSON of a person and of a
// department.
package directory

import (
	"context"
	"net/http"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"

	"example.com/hub/pkg/auth"
	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
	peoplegw "example.com/hub/services/edge/internal/gatewaypb/hub/people/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/shape"
)

// maxUser is more bytes than the largest person takes on the wire. Her texts are 1,500 characters at most.
const maxUser = 7 << 10

// User is a person, from a peoplev1.User.
var User = shape.New(append([]shape.Field{
	shape.Text("username", 1),
	shape.Text("userId", 2),
	shape.Text("name", 3),
	shape.Text("email", 4),
	shape.Text("deptId", 5),
	shape.Bool("active", 6),
	shape.Word("origin", 7, shape.Words[peoplev1.UserOrigin]{"", "feed", "login"}),
}, shape.Audit(8, 9, 10, 11)...)...)

// Department is a department, from a peoplev1.Department.
var Department = shape.New(append([]shape.Field{
	shape.Text("deptId", 1),
	shape.Text("parentId", 2),
	shape.Text("name", 3),
}, shape.Audit(4, 5, 6, 7)...)...)

// Area is what is served of the directory.
func Area(hub grpc.ClientConnInterface) rest.Area {
	feed := auth.Rule{Scope: auth.ScopeDirectory}
	readers := auth.Rule{Scope: auth.ScopeDirectory, Permission: auth.PermissionDirectory}
	return rest.Area{Hub: hub, Register: register, Endpoints: []rest.Endpoint{
		{
			Method: http.MethodPost, Path: "/directory/users", Rule: feed,
			Read: rest.Reads(readUsers), Write: userResults.Write,
		},
		{
			Method: http.MethodPost, Path: "/directory/departments", Rule: feed,
			Read: rest.Reads(readDepartment), Write: rest.Item(Department),
		},
		{
			Method: http.MethodPost, Path: "/directory/roles", Rule: feed,
			Read: rest.Reads(readRole), Write: rest.Counts("members", "unknown"),
		},
		{
			Method: http.MethodPost, Path: "/directory/users/reconcile", Rule: feed,
			Read: rest.Reads(readReconcile), Write: writeReconciled,
		},
		{
			Method: http.MethodGet, Path: "/directory/users", Rule: readers,
			Read: rest.Reads(readList), Write: rest.List(User), MaxRecord: maxUser,
		},
	}}
}

func register(ctx context.Context, mux *runtime.ServeMux, hub grpc.ClientConnInterface) error {
	return peoplegw.RegisterDirectoryServiceHandlerClient(ctx, mux, peoplev1.NewDirectoryServiceClient(hub))
}
