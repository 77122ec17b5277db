package edge

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
)

// NewEventLog makes a client for Deps.EventLog, whose calls to messagehub carry the internal key.
func NewEventLog(messagehub grpc.ClientConnInterface, key string) eventv1.EventServiceClient {
	return eventv1.NewEventServiceClient(keyed{messagehub, "Bearer " + key})
}

// keyed sends the internal key with every call, and nothing else.
type keyed struct {
	grpc.ClientConnInterface
	authorization string
}

// Invoke implements grpc.ClientConnInterface.
func (k keyed) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	ctx = metadata.NewOutgoingContext(ctx, metadata.Pairs("authorization", k.authorization))
	return k.ClientConnInterface.Invoke(ctx, method, args, reply, opts...)
}
