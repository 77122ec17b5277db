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
	header, trailer, opts := answered(opts)
	*header = nil
	err := call(ctx, method, request, answer, conn, opts...)
	if *header == nil || status.Code(err) != codes.Unavailable || len(trailer.Get("grpc-retry-pushback-ms")) > 0 {
		return err
	}
	return call(ctx, method, request, answer, conn, opts...)
}

// answered gives where the header and the trailer of an answer will be, which most callers ask for, too: each
// that is asked for is a copy.
func answered(opts []grpc.CallOption) (header, trailer *metadata.MD, all []grpc.CallOption) {
	for _, o := range opts {
		switch o := o.(type) {
		case grpc.HeaderCallOption:
			header = o.HeaderAddr
		case grpc.TrailerCallOption:
			trailer = o.TrailerAddr
		}
	}
	if header == nil {
		header = new(metadata.MD)
		opts = append(opts, grpc.Header(header))
	}
	if trailer == nil {
		trailer = new(metadata.MD)
		opts = append(opts, grpc.Trailer(trailer))
	}
	return header, trailer, opts
}
