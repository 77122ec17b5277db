package rest

import (
	"cmp"
	"context"
	"errors"
	"time"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	grpcproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
	"example.com/hub/services/edge/internal/front"
)

// limits bound what calls may cost the edge.
type limits struct {
	timeout     time.Duration
	maxPageSize int64
	// lists is the memory of the list answers that are under way, in bytes.
	lists front.Budget
	// decoding bounds the bodies that are decoded at one time, in bytes: one that is nothing but names
	// takes 20 times its size meanwhile.
	decoding *semaphore.Weighted
	// directory is nil where an id of a user is a username.
	directory Directory
	// groups is nil where nobody knows departments and roles.
	groups Groups
}

// calls is the connection of the generated handlers. They have put the variables of the path into the
// message; the rest of it is read here, where the route of the request is known, and the call is made
// under limits.
type calls struct {
	grpc.ClientConnInterface
	limits *limits
}

// Invoke implements grpc.ClientConnInterface.
func (c calls) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	x := exchangeOf(ctx)
	request := &x.buffers.request
	request.body = x.buffers.body.Bytes()
	if err := c.limits.read(x.route.Read, request, args); err != nil {
		return status.Error(codeOf(err), err.Error())
	}
	ctx, cancel := context.WithTimeout(ctx, c.limits.timeout+request.more)
	defer cancel()
	if request.before != nil {
		if err := request.before(ctx, c.limits); err != nil {
			return err
		}
	}
	if record := max(x.route.MaxRecord, request.record); record > 0 {
		if err := c.limits.reserve(ctx, x, request.size, record); err != nil {
			return err
		}
	}
	return c.ClientConnInterface.Invoke(ctx, method, args, reply, append(opts, asItCame)...)
}

// codeOf is the code of what read finds wrong.
func codeOf(err error) codes.Code {
	if fault.KindOf(err) == fault.Forbidden {
		return codes.PermissionDenied
	}
	return codes.InvalidArgument
}

// read fills the message of a call. Its errors are for the caller.
func (l *limits) read(read Reader, r *Request, message any) error {
	if read == nil {
		return errUnmapped(message)
	}
	if size := int64(len(r.body)); size > 0 {
		// It does not wait long, since all that others do meanwhile is to decode.
		if err := l.decoding.Acquire(context.Background(), size); err != nil {
			return err //nolint:wrapcheck // there is none
		}
		defer l.decoding.Release(size)
	}
	return cmp.Or(read(r, message), r.fault)
}

var errNoMemory = status.Error(codes.Unavailable, "the memory budget of list answers is used up")

// reserve waits for memory for a page, as nobody knows how large its records are: as if each was the
// largest. When the answer is encoded, only its own size stays reserved, until the last byte is
// written, since a slow client keeps the answer in memory that long. The JSON of the largest records is
// larger than they are, when they are full of characters that it escapes.
func (l *limits) reserve(ctx context.Context, x *exchange, size *int64, record int64) (err error) {
	n := int64(field.DefaultPageSize)
	if size != nil {
		n = max(*size, 1)
	}
	x.reserved, err = l.lists.Reserve(ctx, min(n, l.maxPageSize)*record)
	if errors.Is(err, context.DeadlineExceeded) {
		return errNoMemory
	}
	if err != nil {
		return status.FromContextError(err).Err()
	}
	return nil
}

// asItCame has a call leave the answer in bytes: all its fields are unknown to the message.
var asItCame = grpc.ForceCodecV2(wireCodec{encoding.GetCodecV2(grpcproto.Name)})

// wireCodec is gRPC's codec for protobuf, but that it decodes nothing.
type wireCodec struct{ encoding.CodecV2 }

// Unmarshal implements encoding.CodecV2.
func (c wireCodec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	m.ProtoReflect().SetUnknown(data.Materialize())
	return nil
}

// wire gives an answer in bytes. One of a hub in this process is a message, and is encoded into the
// buffer.
func wire(buffer *[]byte, message proto.Message) ([]byte, error) {
	options := proto.MarshalOptions{AllowPartial: true}
	came := message.ProtoReflect().GetUnknown()
	if options.Size(message) == len(came) {
		return came, nil
	}
	options.UseCachedSize = true
	raw, err := options.MarshalAppend((*buffer)[:0], message)
	*buffer = raw
	return raw, err
}
