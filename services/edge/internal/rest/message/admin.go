package message

import (
	"context"
	"net/http"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"

	"example.com/hub/pkg/auth"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	messagegw "example.com/hub/services/edge/internal/gatewaypb/hub/message/v1"
	"example.com/hub/services/edge/internal/rest"
)

// Admin is what administrators do with the inboxes of all users.
func Admin(hub grpc.ClientConnInterface) rest.Area {
	admin := auth.Rule{Permission: auth.PermissionMessages}
	area := rest.Area{Hub: hub, Register: registerAdmin}
	for _, paths := range [][2]string{
		{"/admin/message-hub/inbox", "/admin/message-hub/messages"}, {"/portal/admin/messages", "/portal/admin/messages"},
	} {
		area.Endpoints = append(area.Endpoints, rest.Endpoint{
			Method: http.MethodGet, Path: paths[0], Rule: admin,
			Read: rest.Reads(readSearch), Write: rest.List(InboxMessage), MaxRecord: MaxRecord,
		}, rest.Endpoint{
			Method: http.MethodPost, Path: paths[1] + "/{id}/read", Rule: admin,
			Read: rest.Reads(readAdminMark), Write: rest.Nothing("Hub-Switched"),
		})
	}
	return area
}

func registerAdmin(ctx context.Context, mux *runtime.ServeMux, hub grpc.ClientConnInterface) error {
	return messagegw.RegisterInboxAdminServiceHandlerClient(ctx, mux, messagev1.NewInboxAdminServiceClient(hub))
}

func readSearch(r *rest.Request, m *messagev1.SearchInboxRequest) error {
	r.ChooseUsers(func(users rest.Chosen) {
		m.Users = &messagev1.InboxUsers{Usernames: users.Usernames, ChosenBy: users.By}
	})
	m.SourceAppId = r.Text("sourceAppId")
	m.Status = statuses.Parse(r.Text("status"), r.Extended())
	m.PageToken, m.Size = r.Walk()
	return nil
}

// readAdminMark looks at the id only where there is no username, as a push does.
func readAdminMark(r *rest.Request, m *messagev1.AdminMarkReadRequest) error {
	if username := r.Optional("username"); username != nil {
		m.Username = *username
		return nil
	}
	if id := r.Text("userId"); id != "" {
		r.NameUsers([]string{id}, func(usernames []string) error {
			m.Username = usernames[0]
			return rest.KnownUser("user id", id, m.Username)
		})
	}
	return nil
}
