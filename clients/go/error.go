package hub

import (
	"cmp"
	"context"
	"errors"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Error is why a call failed, in Hub's words. Every error of this package that comes of a call is one, or has
// one in its chain: use [errors.As]. [status.Code] gives its code, too.
type Error struct {
	// Code is what a program decides by. The package's documents call the codes by their names in gRPC, and
	// those of HTTP answers are translated: 404 is NotFound.
	Code codes.Code
	// Message says in a sentence for a person what is wrong. It has no secret in it.
	Message string
	// Field is the field of the request that is at fault, as the proto names it, of an InvalidArgument; empty
	// where none is.
	Field string
	// Resource is the todo id of a NotFound or a FailedPrecondition; else empty.
	Resource string
	// RetryAfter is how long the server asks to wait before the call is repeated; 0 where it does not say.
	RetryAfter time.Duration

	cause  error
	status *status.Status // as it came by gRPC, or nil
}

// Error gives the code and the message.
func (e *Error) Error() string { return "hub: " + e.Code.String() + ": " + e.Message }

// Unwrap gives the cause, such as a context's error or that of the network, or nil.
func (e *Error) Unwrap() error { return e.cause }

// GRPCStatus gives package status the code, the message and, of a call by gRPC, the details.
func (e *Error) GRPCStatus() *status.Status {
	return cmp.Or(e.status, status.New(e.Code, e.Message))
}

// errorOf reads what the server says in the details of a status. It leaves nil and an Error as they are.
func errorOf(err error) error {
	var own *Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	st := status.Convert(err)
	e := &Error{Code: st.Code(), Message: st.Message(), cause: causeOf(st.Code()), status: st}
	for _, detail := range st.Details() {
		switch d := detail.(type) {
		case *errdetails.BadRequest:
			for _, v := range d.GetFieldViolations() {
				e.Field = v.GetField()
				break
			}
		case *errdetails.ResourceInfo:
			e.Resource = d.GetResourceName()
		case *errdetails.PreconditionFailure:
			for _, v := range d.GetViolations() {
				e.Resource = v.GetSubject()
				break
			}
		case *errdetails.RetryInfo:
			e.RetryAfter = d.GetRetryDelay().AsDuration()
		}
	}
	return e
}

// causeOf lets errors.Is find the context's error behind the codes that stand for them.
func causeOf(code codes.Code) error {
	switch code {
	case codes.Canceled:
		return context.Canceled
	case codes.DeadlineExceeded:
		return context.DeadlineExceeded
	}
	return nil
}

// codeOfError is the code of an Error, and OK of nil.
func codeOfError(err error) codes.Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return codes.OK
}

// messageOf is the message of an Error.
func messageOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}
