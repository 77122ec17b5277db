package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Refused is an answer that is no success.
type Refused struct {
	// Status is that of HTTP; 200 where HUB_ERROR_STATUS says so.
	Status int
	// Msg names the field and the reason.
	Msg string
	// RequestID finds the call in Hub's log; empty where a proxy answered.
	RequestID string
	// Call is the method and the path.
	Call string
	// RetryAfter is how long Hub asks to wait; 0 where it does not.
	RetryAfter time.Duration
}

// Error gives the message and, below it, what finds the call in a log.
func (r *Refused) Error() string {
	text := fmt.Sprintf("%s\n  %s was answered with status %d", r.Msg, r.Call, r.Status)
	if r.RequestID != "" {
		text += ", request id " + r.RequestID
	}
	return text
}

// Transient tells whether the same call may succeed later.
func (r *Refused) Transient() bool {
	return r.RetryAfter > 0 || r.Status == http.StatusTooManyRequests || r.Status >= http.StatusInternalServerError
}

// Unreachable is a call without an answer. It may have had its effect.
type Unreachable struct {
	// Base is the address of the Hub.
	Base string
	// Cause is the error of the network.
	Cause error
}

// Error says which Hub does not answer and why.
func (u *Unreachable) Error() string {
	return fmt.Sprintf("no answer from %s: %v\n  hubctl doctor tells more", u.Base, u.Cause)
}

// Unwrap gives the cause.
func (u *Unreachable) Unwrap() error { return u.Cause }

// NoAnswer is the error of a call to the Hub at base that failed with err, of package net/http.
func NoAnswer(base string, err error) *Unreachable {
	if call := new(url.Error); errors.As(err, &call) {
		err = call.Err // it says the address again
	}
	return &Unreachable{Base: base, Cause: err}
}

var errSlow = errors.New("it took too long (--timeout)")

// unreachable is the error of a call that has none of Hub.
func (c *Client) unreachable(ctx context.Context, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), errSlow):
		err = errSlow
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return NoAnswer(c.Base, err)
}
