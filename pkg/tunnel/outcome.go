package tunnel

import (
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	grpcproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// answer gives the outcome of a call to its caller.
func (m *call) answer(o *options, reply any) error {
	if m.err != nil {
		return m.err
	}
	if o.header != nil {
		*o.header = read(m.end.GetHeader())
	}
	if o.trailer != nil {
		*o.trailer = read(m.end.GetTrailer())
	}
	if raw := m.end.GetStatus(); len(raw) > 0 {
		failure := new(spb.Status)
		if err := proto.Unmarshal(raw, failure); err != nil {
			return status.Errorf(codes.Internal, "decode the status: %v", err)
		}
		return status.ErrorProto(failure)
	}
	if err := o.codec.Unmarshal(mem.BufferSlice{mem.SliceBuffer(m.response)}, reply); err != nil {
		return status.Errorf(codes.Internal, "decode the response: %v", err)
	}
	return nil
}

// options are those that a tunnel knows.
type options struct {
	header, trailer *metadata.MD
	codec           encoding.CodecV2
}

// optionsOf tells whether a call can be made with these options.
func optionsOf(opts []grpc.CallOption) (o options, known bool) {
	o.codec = encoding.GetCodecV2(grpcproto.Name)
	for _, option := range opts {
		switch option := option.(type) {
		case grpc.HeaderCallOption:
			o.header = option.HeaderAddr
		case grpc.TrailerCallOption:
			o.trailer = option.TrailerAddr
		case grpc.ForceCodecV2CallOption:
			o.codec = option.CodecV2
		case grpc.StaticMethodCallOption: // which is for statistics
		default:
			return o, false
		}
	}
	return o, true
}
