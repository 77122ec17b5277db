package grpcserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/log"
	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/requestid"
	"example.com/hub/pkg/telemetry/tracing"
)

// interceptor is what every call passes on its way in and out. It is one piece, not a chain, because the
// log line needs what each step finds out.
type interceptor struct {
	verifier auth.Verifier
	policy   auth.Policy
	edges    Edges
	// open are the prefixes of full method names that need no token.
	open []string
	// limiter is nil when no limit is on.
	limiter *ratelimit.Limiter
	charges ratelimit.Charges
	// maxReceive is the largest request in bytes, but for open methods.
	maxReceive int
	entries    Entries
	metrics    *telemetry.Requests
	tracer     *tracing.Tracer
	logger     *slog.Logger
	access     log.Sample
}

// maxOpenBytes bounds what is read without a token: the name of a service, or of a symbol.
const maxOpenBytes = 4 << 10

func newInterceptor(o Options) *interceptor {
	i := &interceptor{
		verifier:   o.Verifier,
		policy:     o.Policy,
		edges:      o.Edges,
		open:       []string{"/" + healthpb.Health_ServiceDesc.ServiceName + "/"},
		limiter:    o.Limiter,
		charges:    o.Charges,
		maxReceive: o.MaxReceiveBytes,
		entries:    o.Entries,
		metrics:    o.Metrics,
		tracer:     o.Tracer,
		logger:     o.Logger,
		access:     o.Access,
	}
	if i.maxReceive == 0 {
		i.maxReceive = 4 << 20
	}
	if o.Reflection {
		i.open = append(i.open, "/grpc.reflection.")
	}
	if i.logger == nil {
		i.logger = slog.Default()
	}
	return i
}

// unary is the handler of a method behind the interceptor. The message is read after the token was
// checked, so that a caller without one takes up no memory.
func (i *interceptor) unary(method string, handler grpc.MethodHandler) grpc.MethodHandler {
	return func(srv any, ctx context.Context, _ func(any) error, next grpc.UnaryServerInterceptor) (resp any, err error) {
		err = i.pass(ctx, method, func(ctx context.Context, begin *time.Time) (err error) {
			resp, err = handler(srv, ctx, func(req any) error {
				r, err := i.receiver(ctx, method)
				if err == nil {
					err = r.only(req)
				}
				*begin = time.Now()
				if over := i.limit(ctx, method, req); over != nil {
					return over
				}
				return err
			}, next)
			return err
		})
		if err != nil {
			return nil, err
		}
		return resp, nil
	}
}

// read is unary for a message that is there already.
func (i *interceptor) read(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (resp any, err error) {
	err = i.pass(ctx, info.FullMethod, func(ctx context.Context, _ *time.Time) (err error) {
		if err := i.limit(ctx, info.FullMethod, req); err != nil {
			return err
		}
		resp, err = next(ctx, req)
		return err
	})
	if err != nil {
		return nil, err
	}
	return resp, nil
}

func (i *interceptor) stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	return i.streamed(ss.Context(), info.FullMethod, func(ctx context.Context) error {
		r, err := i.receiver(ctx, info.FullMethod)
		if err != nil {
			return err
		}
		return next(srv, &callerStream{ServerStream: ss, ctx: ctx, read: r.next})
	})
}

// local is stream for messages that are there already.
func (i *interceptor) local(srv any, ss grpc.ServerStream, method string, next grpc.StreamHandler) error {
	return i.streamed(ss.Context(), method, func(ctx context.Context) error {
		return next(srv, &callerStream{ServerStream: ss, ctx: ctx, read: ss.RecvMsg})
	})
}

// streamed admits a stream, which costs its caller one unit.
func (i *interceptor) streamed(ctx context.Context, method string, call func(context.Context) error) error {
	return i.pass(ctx, method, func(ctx context.Context, _ *time.Time) error {
		if err := i.limit(ctx, method, nil); err != nil {
			return err
		}
		return call(ctx)
	})
}

// callerStream is a stream whose context carries the caller, and whose messages have the method's limit.
type callerStream struct {
	grpc.ServerStream
	ctx  context.Context //nolint:containedctx // grpc.ServerStream has no other way to change it
	read func(into any) error
}

func (s *callerStream) Context() context.Context { return s.ctx }

func (s *callerStream) RecvMsg(into any) error { return s.read(into) }

// pass admits the call, runs it, and turns its failure into a status. The call may set the time from
// which it counts: when its message had come, however slowly that came.
func (i *interceptor) pass(ctx context.Context, method string, call func(ctx context.Context, begin *time.Time) error) error {
	begin := time.Now()
	ctx = named(ctx)
	open := i.isOpen(method)
	ctx, span := i.trace(ctx, method, open)
	var caller auth.Principal
	err := recovered(func() (err error) {
		inner := ctx
		if !open {
			if caller, err = i.admit(ctx, method); err != nil {
				return err
			}
			inner = auth.With(ctx, caller)
		}
		return call(inner, &begin)
	})
	st := statusOf(ctx, err)
	if st.Code() == codes.Unavailable {
		// gRPC A6: the caller must not repeat at once what would only add to an outage.
		// Without a transport there is no caller that would retry.
		_ = grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms", "-1"))
	}
	took := time.Since(begin)
	if !open && !isTunnel(method) {
		i.metrics.Of(method).Done(int(st.Code()), took)
	}
	i.log(ctx, method, caller, st, err, took)
	span.Served(st.Code(), caller.Name())
	return st.Err()
}

// named puts the request's id into the context. The edge sends one. A caller that sent none, or one
// that is not fit for a log, is told the one that was made.
func named(ctx context.Context) context.Context {
	id, taken := requestid.Take(metadata.ValueFromIncomingContext(ctx, requestid.Key))
	if !taken {
		// Without a transport nobody waits for a header.
		_ = grpc.SetHeader(ctx, metadata.Pairs(requestid.Key, id))
	}
	return requestid.With(ctx, id)
}

func (i *interceptor) isOpen(method string) bool {
	for _, prefix := range i.open {
		if strings.HasPrefix(method, prefix) {
			return true
		}
	}
	return false
}

// admit gives the principal of a call, if the method's rule admits it.
func (i *interceptor) admit(ctx context.Context, method string) (auth.Principal, error) {
	rule, listed := i.policy[method]
	if !listed {
		return auth.Principal{}, fault.New(fault.Forbidden, "the method is not open to callers")
	}
	p, err := i.identify(ctx, rule)
	if err != nil || rule.Admits(p) {
		return p, err
	}
	if rule.Scope != "" {
		return p, fault.Newf(fault.Forbidden, "the access token lacks the scope %q", rule.Scope)
	}
	return p, fault.New(fault.Forbidden, "the method is not open to this caller")
}

// panicked is the cause of a call whose handler panicked.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

func recovered(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicked{value: v, stack: debug.Stack()}
		}
	}()
	return f()
}

// log writes the one line of the call. The cause of a failure stands in it where the fault is Hub's
// or a dependency's; tokens and bodies never do.
func (i *interceptor) log(ctx context.Context, method string, caller auth.Principal, st *status.Status, err error, took time.Duration) {
	level := i.levelOf(ctx, method, st.Code())
	if !i.logger.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 7)
	attrs = append(attrs,
		slog.String("method", method),
		slog.String("code", st.Code().String()),
		log.Duration(took),
		slog.String("client_id", caller.Name()),
	)
	if level >= slog.LevelWarn {
		attrs = append(attrs, slog.Any("cause", err))
	} else if err != nil {
		attrs = append(attrs, slog.String("message", st.Message()))
	}
	var p *panicked
	if errors.As(err, &p) {
		attrs = append(attrs, slog.String("stack", string(p.stack)))
	}
	i.logger.LogAttrs(ctx, level, "grpc call", attrs...)
}

func (i *interceptor) levelOf(ctx context.Context, method string, c codes.Code) slog.Level {
	switch c {
	case codes.OK, codes.ResourceExhausted:
		// A client over its limit must not fill the log with it; a metric counts what was refused.
		return i.successLevel(ctx, method)
	case codes.Internal:
		return slog.LevelError
	case codes.Unavailable:
		return slog.LevelWarn
	default:
		return slog.LevelInfo
	}
}
