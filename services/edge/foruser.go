package edge

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/onbehalf"
)

// forUsers is the connection to a hub on which the edge speaks for users: their calls carry who they are, and
// the edge's own credential in the place of a token. Those of clients carry the client's token as it came.
type forUsers struct {
	grpc.ClientConnInterface
	// key is empty where the hub knows the edge by its certificate.
	key string
}

// Invoke implements grpc.ClientConnInterface.
func (c forUsers) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	return c.ClientConnInterface.Invoke(c.speak(ctx), method, args, reply, opts...)
}

// NewStream implements grpc.ClientConnInterface.
func (c forUsers) NewStream(ctx context.Context, d *grpc.StreamDesc, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	return c.ClientConnInterface.NewStream(c.speak(ctx), d, method, opts...)
}

func (c forUsers) speak(ctx context.Context) context.Context {
	p, ok := auth.From(ctx)
	if !ok || p.User == "" {
		return ctx
	}
	sent, _ := metadata.FromOutgoingContext(ctx)
	said := metadata.New(onbehalf.Encode(p))
	sent.Delete("authorization")
	if c.key != "" {
		said.Set("authorization", "Bearer "+c.key)
	}
	return metadata.NewOutgoingContext(ctx, metadata.Join(sent, said))
}
