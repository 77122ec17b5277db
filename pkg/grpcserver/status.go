package grpcserver

import (
	"context"
	"errors"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
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
		return invalid(f, public)
	case fault.NotFound:
		return notFound(f, public)
	case fault.Conflict:
		return conflict(f, public)
	case fault.Forbidden:
		return status.New(codes.PermissionDenied, public)
	case fault.Unauthenticated:
		return status.New(codes.Unauthenticated, public)
	case fault.Exhausted:
		return exhausted(f, public)
	case fault.Unavailable:
		return status.New(codes.Unavailable, public)
	case fault.Timeout:
		return status.New(codes.DeadlineExceeded, public)
	case fault.Internal:
	}
	return status.New(codes.Internal, textInternal)
}

// invalid names the field, if one is at fault.
func invalid(f *fault.Fault, public string) *status.Status {
	st := status.New(codes.InvalidArgument, public)
	if f.Field == "" {
		return st
	}
	return with(st, &errdetails.BadRequest{
		FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: f.Field, Description: public}},
	})
}

// notFound names the record that does not exist.
func notFound(f *fault.Fault, public string) *status.Status {
	st := status.New(codes.NotFound, public)
	if f.Resource.Type == "" {
		return st
	}
	return with(st, &errdetails.ResourceInfo{
		ResourceType: f.Resource.Type, ResourceName: f.Resource.Name, Description: public,
	})
}

// conflict names the record whose state forbids the change.
func conflict(f *fault.Fault, public string) *status.Status {
	st := status.New(codes.FailedPrecondition, public)
	if f.Resource.Type == "" {
		return st
	}
	return with(st, &errdetails.PreconditionFailure{
		Violations: []*errdetails.PreconditionFailure_Violation{
			{Type: f.Resource.Type, Subject: f.Resource.Name, Description: public},
		},
	})
}

// exhausted tells how long to wait, if that is known.
func exhausted(f *fault.Fault, public string) *status.Status {
	st := status.New(codes.ResourceExhausted, public)
	if f.RetryAfter <= 0 {
		return st
	}
	return with(st, &errdetails.RetryInfo{RetryDelay: durationpb.New(f.RetryAfter)})
}

func with(st *status.Status, detail protoadapt.MessageV1) *status.Status {
	detailed, err := st.WithDetails(detail)
	if err != nil {
		return st // a name in it is not UTF-8; the message says enough
	}
	return detailed
}
