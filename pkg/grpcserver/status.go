package grpcserver

import (
	"context"
	"errors"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"example.com/hub/pkg/fault"
)

const (
	textInternal = "internal error"
	textTimeout  = "the call took too long"
	textCanceled = "the call was canceled"
)

// statusOf is what the caller may know of err. It is the only place of Hub that turns a fault into a
// gRPC status.
func statusOf(ctx context.Context, err error) *status.Status {
	if err == nil {
		return nil
	}
	var f *fault.Fault
	if errors.As(err, &f) {
		return statusOfFault(f)
	}
	// Drivers do not always wrap the context's error when it ended their work.
	for _, e := range []error{err, ctx.Err()} {
		switch {
		case errors.Is(e, context.DeadlineExceeded):
			return status.New(codes.DeadlineExceeded, textTimeout)
		case errors.Is(e, context.Canceled):
			return status.New(codes.Canceled, textCanceled)
		}
	}
	// A bare status comes from gRPC itself: a method without code, a broken stream. A wrapped one is
	// of somebody else.
	if own, ok := err.(interface{ GRPCStatus() *status.Status }); ok {
		switch st := own.GRPCStatus(); st.Code() {
		case codes.OK, codes.Unknown, codes.Internal, codes.DataLoss:
		default:
			return st
		}
	}
	return status.New(codes.Internal, textInternal)
}

func statusOfFault(f *fault.Fault) *status.Status {
	public := strings.ToValidUTF8(f.Public, "\uFFFD")
	switch f.Kind {
	case fault.Invalid:
		st := status.New(codes.InvalidArgument, public)
		if f.Field == "" {
			return st
		}
		return withField(st, f.Field, public)
	case fault.NotFound:
		return status.New(codes.NotFound, public)
	case fault.Conflict:
		return status.New(codes.FailedPrecondition, public)
	case fault.Forbidden:
		return status.New(codes.PermissionDenied, public)
	case fault.Unauthenticated:
		return status.New(codes.Unauthenticated, public)
	case fault.Exhausted:
		return withRetry(status.New(codes.ResourceExhausted, public), f.RetryAfter)
	case fault.Unavailable:
		return status.New(codes.Unavailable, public)
	case fault.Timeout:
		return status.New(codes.DeadlineExceeded, public)
	case fault.Internal:
	}
	return status.New(codes.Internal, textInternal)
}

// withRetry tells how long to wait, if that is known.
func withRetry(st *status.Status, after time.Duration) *status.Status {
	if after <= 0 {
		return st
	}
	detailed, err := st.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(after)})
	if err != nil {
		return st // the message says enough
	}
	return detailed
}

func withField(st *status.Status, field, description string) *status.Status {
	detailed, err := st.WithDetails(&errdetails.BadRequest{
		FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: field, Description: description}},
	})
	if err != nil {
		return st // the field's name is not UTF-8; the message says enough
	}
	return detailed
}
