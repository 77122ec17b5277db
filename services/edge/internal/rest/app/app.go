// Package app is the REST form of the apps of portalhub: lists of them, what administrators say of them, and
// the jump into one.
package app

import (
	"context"
	"net/http"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"

	"example.com/hub/pkg/auth"
	appv1 "example.com/hub/proto/gen/go/hub/app/v1"
	appgw "example.com/hub/services/edge/internal/gatewaypb/hub/app/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/ticket"
)

// Deps are what the area is made of.
type Deps struct {
	// Hub is the connection to portalhub.
	Hub grpc.ClientConnInterface
	// Tickets makes those of jumps; nil where no app gets any.
	Tickets *ticket.Issuer
	// Audiences are those of tokens that Hub itself accepts. No app may have such an id.
	Audiences []string
	// Ask answers a browser that jumps without a session; nil where nobody logs in.
	Ask http.HandlerFunc
}

// maxList is more bytes than a list of all apps takes in protobuf, for each of the records of a usual page.
const maxList = 500 * 16 << 10 / 20

// Area is what is served of the apps.
func Area(d Deps) rest.Area {
	a := area{d.Tickets, d.Audiences}
	user, admin := auth.Rule{User: true}, auth.Rule{Permission: auth.PermissionApps}
	endpoints := []rest.Endpoint{
		{
			Method: http.MethodGet, Path: "/admin/apps", Rule: admin,
			Read: rest.Reads(readNothing[appv1.ListAppsRequest]), Write: rest.All(App), MaxRecord: maxList,
		},
		{
			Method: http.MethodPost, Path: "/admin/apps", Rule: admin,
			Read: rest.Reads(a.readCreate), Write: rest.Item(App),
		},
		{
			Method: http.MethodPut, Path: "/admin/apps/{appId}", Rule: admin,
			Read: rest.Reads(a.readUpdate), Write: rest.Item(App),
		},
		{
			Method: http.MethodPost, Path: "/admin/apps/{appId}/enable", Rule: admin,
			Read: rest.Reads(readNothing[appv1.EnableAppRequest]), Write: rest.Item(App),
		},
		{
			Method: http.MethodPost, Path: "/admin/apps/{appId}/disable", Rule: admin,
			Read: rest.Reads(readNothing[appv1.DisableAppRequest]), Write: rest.Item(App),
		},
	}
	for _, below := range []string{"", "/portal"} {
		endpoints = append(endpoints,
			rest.Endpoint{
				Method: http.MethodGet, Path: below + "/apps", Rule: user,
				Read: rest.Reads(readNothing[appv1.ListVisibleAppsRequest]), Write: rest.All(Visible), MaxRecord: maxList,
			},
			rest.Endpoint{
				Method: http.MethodGet, Path: below + "/apps/{appId}/jump", Rule: user, Ask: private(d.Ask),
				Read: rest.Reads(a.readJump), Write: a.writeJump,
			},
		)
	}
	if d.Tickets != nil {
		endpoints = append(endpoints, rest.Endpoint{
			Method: http.MethodGet, Path: ticket.PathKeys, Rule: auth.Rule{Anyone: true}, Serve: d.Tickets.ServeKeys,
		})
	}
	return rest.Area{Hub: d.Hub, Register: register, Endpoints: endpoints}
}

// area is what the endpoints share.
type area struct {
	tickets   *ticket.Issuer
	audiences []string
}

func register(ctx context.Context, mux *runtime.ServeMux, hub grpc.ClientConnInterface) error {
	return appgw.RegisterAppServiceHandlerClient(ctx, mux, appv1.NewAppServiceClient(hub))
}

// readNothing is for requests with nothing but what is in the path.
func readNothing[M any](*rest.Request, *M) error { return nil }
