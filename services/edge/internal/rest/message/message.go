// Package message is the REST form of messagehub: its endpoints, and the JSON of an InboxMessage.
package message

import (
	"context"
	"net/http"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	messagegw "example.com/hub/services/edge/internal/gatewaypb/hub/message/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/rest/shape"
)

// Area is what is served of messagehub.
func Area(hub grpc.ClientConnInterface) rest.Area {
	return rest.Area{Hub: hub, Register: register, Endpoints: []rest.Endpoint{
		{
			Method: http.MethodPost, Path: "/message-hub/messages",
			Read: rest.Reads(readPush), Write: rest.Nothing("Hub-Created", "Hub-Duplicates"),
		},
		{
			Method: http.MethodGet, Path: "/message-hub/inbox",
			Read: rest.Reads(readInbox), Write: rest.List(InboxMessage), MaxRecord: MaxRecord,
		},
		{
			Method: http.MethodGet, Path: "/message-hub/unread-count",
			Read: rest.Reads(readCount), Write: rest.Number,
		},
		{
			Method: http.MethodPost, Path: "/message-hub/messages/{id}/read",
			Read: rest.Reads(readMark), Write: rest.Nothing("Hub-Switched"),
		},
	}}
}

func register(ctx context.Context, mux *runtime.ServeMux, hub grpc.ClientConnInterface) error {
	return messagegw.RegisterMessageServiceHandlerClient(ctx, mux, messagev1.NewMessageServiceClient(hub))
}

// The contract's words.
var (
	statuses   = shape.Words[messagev1.MessageStatus]{"", "UNREAD", "READ"}
	sortFields = shape.Words[messagev1.InboxSortField]{
		"", "occurredAt", "createTime", "modifyTime", "readAt", "category", "sourceAppId", "id",
	}
)

// MaxRecord is more bytes than the largest message of an inbox takes on the wire: one of 64 KiB of
// content and 20 actions, whose labels and URLs are 2,176 characters of up to 4 bytes each, comes to
// 242 KiB with its ids, names and title.
const MaxRecord = 256 << 10

// InboxMessage is an InboxMessage of the contract, from a messagev1.InboxMessage. Every member is always
// there.
var InboxMessage = shape.New(append([]shape.Field{
	shape.Text("id", 1),
	shape.Text("username", 2),
	shape.Text("sourceAppId", 3),
	shape.Text("sourceMessageId", 4),
	shape.Joined("idempotencyKey", ":", 3, 4, 2),
	shape.Text("title", 5),
	shape.Text("content", 6),
	shape.Text("category", 7),
	shape.List("actions", 8, Action),
	shape.Word("status", 9, statuses),
	shape.Instant("occurredAt", 10),
	shape.Instant("readAt", 11),
}, shape.Audit(12, 13, 14, 15)...)...)

// Action is a MessageAction of the contract, from a messagev1.MessageAction.
var Action = shape.New(
	shape.Text("label", 1),
	shape.Text("url", 2),
)
