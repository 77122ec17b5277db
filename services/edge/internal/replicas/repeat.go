package replicas

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// repeat makes a call once more whose connection ended between the header of its answer and the end. gRPC
// does not, since the caller of a stream might know the header; this caller knows nothing before the end.
// What a hub itself answers as unavailable has a trailer that says not to repeat it (gRPC proposal A6).
func repeat(
	ctx context.Context, method string, request, answer any, conn *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	var header, trailer metadata.MD
	err := call(ctx, method, request, answer, conn, append(opts, grpc.Header(&header), grpc.Trailer(&trailer))...)
	if header == nil || status.Code(err) != codes.Unavailable || len(trailer.Get("grpc-retry-pushback-ms")) > 0 {
		return err
	}
	return call(ctx, method, request, answer, conn, opts...)
}
