package edge

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
)

// NewEventLog makes a client for Deps.EventLog, whose calls to messagehub carry the internal key. The key
// is empty where messagehub knows an edge by the certificate of its connection.
func NewEventLog(messagehub grpc.ClientConnInterface, key string) eventv1.EventServiceClient {
	return eventv1.NewEventServiceClient(asEdge(messagehub, key))
}

// asEdge is the connection to a hub for the calls that only edges may make.
func asEdge(hub grpc.ClientConnInterface, key string) grpc.ClientConnInterface {
	calls := keyed{hub, metadata.MD{}}
	if key != "" {
		calls.sent = metadata.Pairs("authorization", "Bearer "+key)
	}
	return calls
}

// keyed sends the internal key with every call, and nothing else.
type keyed struct {
	grpc.ClientConnInterface
	sent metadata.MD
}

// Invoke implements grpc.ClientConnInterface.
func (k keyed) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	ctx = metadata.NewOutgoingContext(ctx, k.sent)
	return k.ClientConnInterface.Invoke(ctx, method, args, reply, opts...)
}
