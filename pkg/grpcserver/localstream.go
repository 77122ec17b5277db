package grpcserver

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

type localStreamer struct {
	service any
	desc    grpc.StreamDesc
}

// NewStream implements grpc.ClientConnInterface. The handler runs in a goroutine of its own, which ends with
// ctx at the latest, as the contract of gRPC asks for; a message is copied, and waits until the other side reads
// it. Of the call options grpc.Header and grpc.Trailer work.
func (l *Local) NewStream(ctx context.Context, _ *grpc.StreamDesc, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	m, ok := l.streamers[method]
	if !ok {
		return nil, status.Errorf(codes.Unimplemented, "unknown method %s", strings.ToValidUTF8(method, "\uFFFD"))
	}
	if err := ctx.Err(); err != nil {
		return nil, statusOf(ctx, err).Err()
	}
	inner, cancel := context.WithCancel(ended{ctx})
	transport := &localTransport{method: method, sent: make(chan struct{})}
	md, _ := metadata.FromOutgoingContext(ctx)
	inner = metadata.NewIncomingContext(inner, md)
	inner = grpc.NewContextWithServerTransportStream(inner, transport)
	s := &localStream{
		ctx: inner, caller: ctx, transport: transport, desc: m.desc, opts: opts,
		up: make(chan proto.Message), noMore: make(chan struct{}), down: make(chan proto.Message), over: make(chan struct{}),
	}
	go func() {
		defer cancel()
		s.finish(l.interceptor.local(m.service, localServer{s}, method, m.desc.Handler))
	}()
	return localClient{s}, nil
}

// localStream is what both sides of a stream share.
type localStream struct {
	ctx       context.Context //nolint:containedctx // both interfaces of a stream have it
	caller    context.Context //nolint:containedctx // what ctx hears of a moment later
	transport *localTransport
	// desc is that of the service: which side sends more than one message.
	desc grpc.StreamDesc
	opts []grpc.CallOption

	up, down chan proto.Message
	// noMore is closed when the client has sent all, and over when the handler has ended with err.
	noMore, over chan struct{}
	sentAll      sync.Once
	err          error
}

func (s *localStream) finish(err error) {
	s.err = err
	s.transport.flush()
	close(s.over)
}

// ending gives what a client reads at the end: io.EOF for a success.
func (s *localStream) ending() error {
	s.transport.answer(s.opts)
	if s.err == nil {
		return io.EOF
	}
	return s.err
}

// localClient is the client's side.
type localClient struct{ *localStream }

// Header implements grpc.ClientStream.
func (s localClient) Header() (metadata.MD, error) {
	select {
	case <-s.transport.sent:
	case <-s.over:
	}
	return s.transport.headers(), nil
}

// Trailer implements grpc.ClientStream.
func (s localClient) Trailer() metadata.MD { return s.transport.trailers() }

// CloseSend implements grpc.ClientStream. Who has left before has not sent all.
func (s localClient) CloseSend() error {
	if s.caller.Err() == nil {
		s.sentAll.Do(func() { close(s.noMore) })
	}
	return nil
}

// Context implements grpc.ClientStream.
func (s localClient) Context() context.Context { return s.ctx }

// SendMsg implements grpc.ClientStream: once the handler has ended it is io.EOF, or nil for the only message,
// and RecvMsg tells why.
func (s localClient) SendMsg(m any) error {
	message, ok := m.(proto.Message)
	if !ok {
		return status.Errorf(codes.Internal, "%T is no message", m)
	}
	select {
	case s.up <- proto.Clone(message):
		return nil
	case <-s.over:
		if !s.desc.ClientStreams {
			return nil
		}
		return io.EOF
	}
}

// RecvMsg implements grpc.ClientStream. Where there is one answer, it comes when the handler has ended.
func (s localClient) RecvMsg(into any) error {
	select {
	case message := <-s.down:
		if err := move(into, message); err != nil || s.desc.ServerStreams {
			return err
		}
		if <-s.over; s.err != nil {
			return s.ending()
		}
		s.transport.answer(s.opts)
		return nil
	case <-s.over:
		if err := s.ending(); !errors.Is(err, io.EOF) || s.desc.ServerStreams {
			return err
		}
		return status.Error(codes.Internal, "the handler answered nothing")
	}
}

// localServer is the server's side.
type localServer struct{ *localStream }

// SetHeader implements grpc.ServerStream.
func (s localServer) SetHeader(md metadata.MD) error { return s.transport.SetHeader(md) }

// SendHeader implements grpc.ServerStream.
func (s localServer) SendHeader(md metadata.MD) error {
	err := s.transport.SetHeader(md)
	s.transport.flush()
	return err
}

// SetTrailer implements grpc.ServerStream.
func (s localServer) SetTrailer(md metadata.MD) { _ = s.transport.SetTrailer(md) }

// Context implements grpc.ServerStream.
func (s localServer) Context() context.Context { return s.ctx }

// SendMsg implements grpc.ServerStream.
func (s localServer) SendMsg(m any) error {
	message, ok := m.(proto.Message)
	if !ok {
		return status.Errorf(codes.Internal, "%T is no message", m)
	}
	s.transport.flush()
	select {
	case s.down <- proto.Clone(message):
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// RecvMsg implements grpc.ServerStream.
func (s localServer) RecvMsg(into any) error {
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	select {
	case message := <-s.up:
		return move(into, message)
	case <-s.noMore:
		return io.EOF
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}
