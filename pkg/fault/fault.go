// Package fault is the error that crosses Hub's layers: what the caller may be told and what really
// happened are two things.
//
// The domain and the stores make faults; the gRPC frame of pkg/grpcserver alone turns them
// into a status, sends the public text and logs the cause.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind says whose fault it is and whether a repeated call can help.
type Kind uint8

const (
	// Internal is a defect of Hub; the caller learns nothing but that.
	Internal Kind = iota
	// Invalid is a request that can never succeed as it is.
	Invalid
	// NotFound is a record that does not exist.
	NotFound
	// Conflict is a record in a state that forbids the change.
	Conflict
	// Forbidden is a caller who is known but may not do this.
	Forbidden
	// Unauthenticated is a caller whose token is missing or not valid.
	Unauthenticated
	// Exhausted is a caller over a limit; later it may succeed.
	Exhausted
	// Unavailable is a dependency that is away; later it may succeed.
	Unavailable
	// Timeout is a call that did not end within its deadline; its effect is unknown.
	Timeout
)

// Fault is an error with a text that is safe to show to the caller.
type Fault struct {
	// Kind decides the status.
	Kind Kind
	// Field is the snake_case proto name of the field at fault, or empty.
	Field string
	// Resource is what a NotFound or Conflict fault is about; the zero value names nothing.
	Resource Resource
	// Public is the whole message for the caller: lower case, no full stop, never a secret.
	Public string
	// RetryAfter is how long the caller should wait, of an Exhausted fault; 0 when it is not known.
	RetryAfter time.Duration

	cause error
}

// Resource names a record for programs; both parts may be shown to the caller.
type Resource struct {
	// Type is the kind of record in one word, such as todo.
	Type string
	// Name is the record's id as the caller gave it.
	Name string
}

// New makes a fault without a cause.
func New(kind Kind, public string) *Fault {
	return &Fault{Kind: kind, Public: public}
}

// Newf is New with a format.
func Newf(kind Kind, format string, args ...any) *Fault {
	return New(kind, fmt.Sprintf(format, args...))
}

// Field makes an Invalid fault that names the field; public must be readable on its own.
func Field(field, public string) *Fault {
	return &Fault{Kind: Invalid, Field: field, Public: public}
}

// Wrap makes a fault that hides cause behind a public text.
func Wrap(kind Kind, public string, cause error) *Fault {
	return &Fault{Kind: kind, Public: public, cause: cause}
}

// Error gives the public text and the cause; it is for logs, not for callers.
func (f *Fault) Error() string {
	if f.cause == nil {
		return f.Public
	}
	return f.Public + ": " + f.cause.Error()
}

// Unwrap gives the private cause.
func (f *Fault) Unwrap() error { return f.cause }

// As finds the fault in err's chain; an error without one is Internal.
func As(err error) *Fault {
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	return Wrap(Internal, "internal error", err)
}

// KindOf is the kind of err's fault.
func KindOf(err error) Kind { return As(err).Kind }
