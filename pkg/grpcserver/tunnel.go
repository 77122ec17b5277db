package grpcserver

import (
	"context"
	"encoding/binary"
	"io"
	"maps"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/tunnel"
	tunnelv1 "example.com/hub/proto/gen/go/hub/tunnel/v1"
)

// tunnelAge is for how long a tunnel takes calls. It ends before its connection does, which is told to end
// sooner or later and then has maxConnectionAgeGrace.
const tunnelAge = 2 * time.Minute

// isTunnel tells whether a stream carries calls, which count each on its own.
func isTunnel(method string) bool { return method == tunnelv1.TunnelService_OpenTunnel_FullMethodName }

// tunnels lets edges call the methods of s through tunnels. The policy is s's own from then on.
func (s *Server) tunnels() {
	policy := auth.Policy{}
	maps.Copy(policy, s.interceptor.policy)
	policy[tunnelv1.TunnelService_OpenTunnel_FullMethodName] = auth.Rule{Internal: true}
	s.interceptor.policy = policy
	tunnelv1.RegisterTunnelServiceServer(s.grpc, &tunnel.Server{
		Call: s.tunnelled, Age: tunnelAge, Closing: s.closing,
	})
}

// tunnelled makes a call that came through a tunnel.
func (s *Server) tunnelled(ctx context.Context, name string, md metadata.MD, request []byte) tunnel.Answer {
	m, ok := s.methods[name]
	if !ok {
		return tunnel.Answer{Err: status.Error(codes.Unimplemented, "unknown method")}
	}
	transport := &tunnelTransport{localTransport: localTransport{method: name}, request: request}
	ctx = metadata.NewIncomingContext(ctx, md)
	ctx = grpc.NewContextWithServerTransportStream(ctx, transport)
	response, err := m.handler(m.service, ctx, nil, nil)
	a := tunnel.Answer{Header: transport.headers(), Trailer: transport.trailers(), Err: err}
	if err == nil {
		if a.Response, err = proto.Marshal(response.(proto.Message)); err != nil { //nolint:forcetypeassert // generated handlers answer no other type
			a.Err = status.Error(codes.Internal, textInternal)
		}
	}
	return a
}

// tunnelTransport is the transport of a call that came through a tunnel.
type tunnelTransport struct {
	localTransport
	// request is the message in bytes, and begun says that its header has been read.
	request []byte
	begun   bool
}

var _ incoming = (*tunnelTransport)(nil)

// ReadMessageHeader implements incoming.
func (t *tunnelTransport) ReadMessageHeader(header []byte) error {
	if t.begun {
		return io.EOF
	}
	t.begun = true
	header[0] = 0                                                  // not compressed
	binary.BigEndian.PutUint32(header[1:], uint32(len(t.request))) //nolint:gosec // a message of gRPC has fewer
	return nil
}

// Read implements incoming.
func (t *tunnelTransport) Read(int) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(t.request)}, nil
}

// RecvCompress implements incoming.
func (*tunnelTransport) RecvCompress() string { return "" }
