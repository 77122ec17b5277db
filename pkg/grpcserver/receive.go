package grpcserver

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/tunnel"
)

// incoming is the transport's side of a call: what grpc-go itself reads messages with. Its RecvMsg knows
// one limit for all methods, and answers RESOURCE_EXHAUSTED above it before anybody can say otherwise.
type incoming interface {
	// ReadMessageHeader fills header, or fails with io.EOF when no message follows.
	ReadMessageHeader(header []byte) error
	// Read gives the next n bytes.
	Read(n int) (mem.BufferSlice, error)
	// RecvCompress is the name of the compression, or empty.
	RecvCompress() string
}

// headerBytes precede each message: whether it is compressed, and its length in 4 bytes.
const headerBytes = 5

// errMalformed is a message that no client library sends.
var errMalformed = fault.New(fault.Invalid, "the request is not a valid message")

// receiver reads the messages of one call.
type receiver struct {
	in incoming
	// limit is the largest message in bytes, also when it was compressed.
	limit   int
	entries Entries
	header  [headerBytes]byte
}

func (i *interceptor) receiver(ctx context.Context, method string) (*receiver, error) {
	in, ok := grpc.ServerTransportStreamFromContext(ctx).(incoming)
	if !ok {
		return nil, errors.New("the transport does not show its messages")
	}
	r := &receiver{in: in, limit: i.maxReceive, entries: i.entries}
	switch {
	case i.isOpen(method):
		r.limit = maxOpenBytes
	case isTunnel(method):
		r.limit, r.entries = tunnel.MaxMessage, nil // each call has its own
	}
	return r, nil
}

// only reads the one message of a unary call.
func (r *receiver) only(into any) error {
	switch err := r.next(into); {
	case errors.Is(err, io.EOF):
		return errMalformed
	case err != nil:
		return err
	}
	// As in grpc-go, a call begins when its caller has sent all.
	switch err := r.in.ReadMessageHeader(r.header[:]); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return broken(err)
	}
	return errMalformed
}

// next reads a message. The error is io.EOF at the end, and a fault of kind Invalid for what should not
// have been sent; of what is too long nothing is read.
func (r *receiver) next(into any) error {
	message, ok := into.(proto.Message)
	if !ok {
		return fmt.Errorf("%T is no message", into)
	}
	if err := r.in.ReadMessageHeader(r.header[:]); err != nil {
		return broken(err)
	}
	length := binary.BigEndian.Uint32(r.header[1:])
	if uint64(length) > uint64(r.limit) {
		return r.tooLarge()
	}
	data, err := r.in.Read(int(length))
	if errors.Is(err, io.EOF) {
		return errMalformed
	}
	if err != nil {
		return broken(err)
	}
	defer data.Free()
	switch r.header[0] {
	case 0:
		return r.decode(data, message)
	case 1:
		return r.decompress(data, message)
	default:
		return errMalformed
	}
}

// broken keeps what the transport says of an end that is not Hub's doing.
func broken(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || status.Code(err) == codes.Internal {
		return errMalformed
	}
	return err
}

func (r *receiver) tooLarge() error {
	return fault.Newf(fault.Invalid, "the request must be at most %d bytes", r.limit)
}

func (r *receiver) decompress(data mem.BufferSlice, into proto.Message) error {
	// gRPC has refused a name that it does not know.
	compressor := encoding.GetCompressor(r.in.RecvCompress())
	if compressor == nil {
		return errMalformed
	}
	plain, err := compressor.Decompress(data.Reader())
	if err != nil {
		return errMalformed
	}
	out, err := mem.ReadAll(io.LimitReader(plain, int64(r.limit)+1), mem.DefaultBufferPool())
	defer out.Free()
	switch {
	case err != nil:
		return errMalformed
	case out.Len() > r.limit:
		return r.tooLarge()
	}
	return r.decode(out, into)
}

func (r *receiver) decode(data mem.BufferSlice, into proto.Message) error {
	whole := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer whole.Free()
	raw := whole.ReadOnlyData()
	if err := r.entries.check(into.ProtoReflect().Descriptor(), raw); err != nil {
		return err
	}
	if proto.Unmarshal(raw, into) != nil {
		return errMalformed
	}
	return nil
}
