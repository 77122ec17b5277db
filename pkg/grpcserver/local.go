package grpcserver

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Local is a server and its only connection in one, for services that share a process with their
// caller: services register on it, clients are made of it. A call runs in the goroutine of its
// caller and passes the same interceptor as one from outside.
//
// Services must be registered before the first call.
type Local struct {
	interceptor *interceptor
	methods     map[string]method
	streamers   map[string]localStreamer
}

var (
	_ grpc.ClientConnInterface = (*Local)(nil)
	_ grpc.ServiceRegistrar    = (*Local)(nil)
)

// method is a unary one that is called without a connection of its own.
type method struct {
	service any
	handler grpc.MethodHandler
}

// NewLocal makes a Local. Of the options only the verifier, the policy, the limits, the
// metrics, the tracer and the logger with its share matter.
func NewLocal(o Options) *Local {
	return &Local{interceptor: newInterceptor(o), methods: map[string]method{}, streamers: map[string]localStreamer{}}
}

// RegisterService implements grpc.ServiceRegistrar. Like grpc.Server it does not return on a
// programming error: a service that is registered twice or lacks a method.
func (l *Local) RegisterService(desc *grpc.ServiceDesc, impl any) {
	want := reflect.TypeOf(desc.HandlerType).Elem()
	if impl == nil || !reflect.TypeOf(impl).Implements(want) {
		panic(fmt.Sprintf("grpcserver: %T is not a %v", impl, want))
	}
	for _, m := range desc.Methods {
		name := "/" + desc.ServiceName + "/" + m.MethodName
		if _, taken := l.methods[name]; taken {
			panic("grpcserver: " + name + " is registered twice")
		}
		l.methods[name] = method{service: impl, handler: m.Handler}
	}
	for _, d := range desc.Streams {
		l.streamers["/"+desc.ServiceName+"/"+d.StreamName] = localStreamer{service: impl, desc: d}
	}
}

// Invoke implements grpc.ClientConnInterface. The request is not copied, so the service must not
// change it or keep it; the response's parts move into reply. The service sees the outgoing metadata
// and the end of ctx, and none of its values. Of the call options grpc.Header and grpc.Trailer work. With
// grpc.ForceCodecV2, what the service has encoded itself (package pbwire) stays encoded.
func (l *Local) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	m, ok := l.methods[method]
	if !ok {
		return status.Errorf(codes.Unimplemented, "unknown method %s", strings.ToValidUTF8(method, "\uFFFD"))
	}
	if err := ctx.Err(); err != nil {
		return statusOf(ctx, err).Err()
	}
	inner, cancel := context.WithCancel(ended{ctx})
	defer cancel()
	md, _ := metadata.FromOutgoingContext(ctx)
	inner = metadata.NewIncomingContext(inner, md)
	transport := &localTransport{method: method}
	inner = grpc.NewContextWithServerTransportStream(inner, transport)

	resp, err := m.handler(m.service, inner, sameType(args), func(ctx context.Context, _ any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		return l.interceptor.read(ctx, args, info, next)
	})
	transport.answer(opts)
	if err != nil {
		return err
	}
	if err := move(reply, resp); err != nil || keepsBytes(opts) {
		return err
	}
	return decode(reply.(proto.Message)) //nolint:forcetypeassert // move has seen it
}

// sameType stands in for the decoder. The generated handler makes an empty request, which nobody
// uses; it is only good for a look at the type.
func sameType(args any) func(any) error {
	return func(made any) error {
		if reflect.TypeOf(made) != reflect.TypeOf(args) {
			return status.Errorf(codes.Internal, "the request is a %T, not a %T", args, made)
		}
		return nil
	}
}

// move sets reply to the fields of resp; lists, maps and messages are shared, not copied.
func move(reply, resp any) error {
	from, ok := resp.(proto.Message)
	to, ok2 := reply.(proto.Message)
	if !ok || !ok2 || !from.ProtoReflect().IsValid() || from.ProtoReflect().Descriptor() != to.ProtoReflect().Descriptor() {
		return status.Error(codes.Internal, textInternal)
	}
	proto.Reset(to)
	target := to.ProtoReflect()
	from.ProtoReflect().Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		target.Set(fd, v)
		return true
	})
	target.SetUnknown(from.ProtoReflect().GetUnknown())
	return nil
}

// keepsBytes tells whether the caller reads bytes itself.
func keepsBytes(opts []grpc.CallOption) bool {
	return slices.ContainsFunc(opts, func(o grpc.CallOption) bool {
		_, forced := o.(grpc.ForceCodecV2CallOption)
		return forced
	})
}

// decode reads the fields that came encoded. It fails where a codec would: for a text that is not UTF-8.
func decode(m proto.Message) error {
	raw := m.ProtoReflect().GetUnknown()
	m.ProtoReflect().SetUnknown(nil)
	if err := (proto.UnmarshalOptions{Merge: true}).Unmarshal(raw, m); err != nil {
		return status.Error(codes.Internal, textInternal)
	}
	return nil
}

// ended is a context without its values: the deadline and the end remain.
type ended struct{ context.Context } //nolint:containedctx // it is a context

// Value hides every value of the caller.
func (ended) Value(any) any { return nil }

// AfterFunc lets package context follow the end without a goroutine per derived context, which it
// would need because it cannot see the caller's context through Value.
func (e ended) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(e.Context, f) }

// localTransport collects the metadata that a handler sends.
type localTransport struct {
	method string
	// sent is closed when a stream's header is sent, and nil of other calls.
	sent chan struct{}
	once sync.Once

	mu      sync.Mutex
	header  metadata.MD
	trailer metadata.MD
}

func (t *localTransport) Method() string { return t.method }

func (t *localTransport) SetHeader(md metadata.MD) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.header = metadata.Join(t.header, md)
	return nil
}

func (t *localTransport) SendHeader(md metadata.MD) error { return t.SetHeader(md) }

func (t *localTransport) SetTrailer(md metadata.MD) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.trailer = metadata.Join(t.trailer, md)
	return nil
}

// flush sends the header of a stream.
func (t *localTransport) flush() { t.once.Do(func() { close(t.sent) }) }

func (t *localTransport) headers() metadata.MD {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.header
}

func (t *localTransport) trailers() metadata.MD {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.trailer
}

func (t *localTransport) answer(opts []grpc.CallOption) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, o := range opts {
		switch o := o.(type) {
		case grpc.HeaderCallOption:
			*o.HeaderAddr = t.header
		case grpc.TrailerCallOption:
			*o.TrailerAddr = t.trailer
		}
	}
}
