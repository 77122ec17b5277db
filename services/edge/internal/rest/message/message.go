// Package message is the REST form of messagehub: its endpoints, and the JSON of an InboxMessage.
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

// Area is what is served of messagehub.
func Area(hub grpc.ClientConnInterface) rest.Area {
	client, user := auth.Rule{Scope: auth.ScopeClient}, auth.Rule{Scope: auth.ScopeClient, User: true}
	return rest.Area{Hub: hub, Register: register, Endpoints: []rest.Endpoint{
		{
			Method: http.MethodPost, Path: "/message-hub/messages", Rule: client,
			Read: rest.Reads(readPush), Write: rest.Nothing("Hub-Created", "Hub-Duplicates"),
		},
		{
			Method: http.MethodGet, Path: "/message-hub/inbox", Rule: user,
			Read: rest.Reads(readInbox), Write: rest.MarkedList(InboxMessage), MaxRecord: MaxRecord,
		},
		{
			Method: http.MethodPost, Path: "/message-hub/inbox/read-all", Rule: user,
			Read: rest.Reads(readMarkAll), Write: rest.Counts("switched"),
		},
		{
			Method: http.MethodGet, Path: "/message-hub/unread-count", Rule: user,
			Read: rest.Reads(readCount), Write: rest.Number,
		},
		{
			Method: http.MethodPost, Path: "/message-hub/messages/{id}/read", Rule: user,
			Read: rest.Reads(readMark), Write: rest.Nothing("Hub-Switched"),
		},
	}}
}

func register(ctx context.Context, mux *runtime.ServeMux, hub grpc.ClientConnInterface) error {
	return messagegw.RegisterMessageServiceHandlerClient(ctx, mux, messagev1.NewMessageServiceClient(hub))
}
