package eventcenter

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"example.com/hub/services/edge/internal/front"
)

// result is what became of an exchange.
type result int

// Results of exchanges.
const (
	none result = iota
	// answered has passed an answer on, whole.
	answered
	// refused was one too many, or came to an edge that stops.
	refused
	// invalid had a body that was too large or did not come.
	invalid
	// unreachable, late and broken are failures of the event center: no connection, no header of an answer in
	// time, or none that is proper and whole.
	unreachable
	late
	broken
	// left is a caller who went away.
	left
	// ended was ended by Hub: after a minute of silence, an hour, or as the edge stops.
	ended

	results
)

var (
	lostBody = front.BadRequest("the request body did not arrive")
	away     = front.Failure{Status: http.StatusServiceUnavailable, Msg: "the event center is not available, try again later"}
	tooLate  = front.Failure{Status: http.StatusGatewayTimeout, Msg: "the event center does not answer in time"}
)

// fail answers an exchange for which the event center has no answer.
func (x *exchange) fail(err error) {
	f, r := x.failure(err)
	x.failed = r
	if r == unreachable || r == late || r == broken {
		x.center.deps.Logger.WarnContext(x.in.Context(), "event center gives no answer", "cause", err)
	}
	if !x.body.done.Load() {
		x.w.Header()["Connection"] = []string{"close"}
	}
	front.SetWriteDeadline(x.w, time.Now().Add(failTime))
	front.Fail(x.w, f, x.center.deps.MaskErrors)
}

// failure says whose fault it is that there is no answer.
func (x *exchange) failure(err error) (front.Failure, result) {
	var timeout net.Error
	switch cause := context.Cause(x.in.Context()); {
	case x.body.over.Load():
		return x.center.tooLarge(), invalid
	case errors.Is(cause, errStopping):
		return front.Unavailable, ended
	case errors.Is(cause, errNoBody):
		return lostBody, invalid
	case errors.Is(cause, errSilent), errors.Is(cause, errTooLong):
		return tooLate, late
	case x.in.Context().Err() != nil:
		return front.ClientGone, left
	case x.body.lost.Load():
		return lostBody, invalid
	case errors.Is(err, errUnreachable):
		return away, unreachable
	case errors.As(err, &timeout) && timeout.Timeout():
		return tooLate, late
	default:
		return away, broken
	}
}

// result is what became of the exchange, which was ended by cause if that is not nil.
func (x *exchange) result(cause error) result {
	switch {
	case x.failed != none:
		return x.failed
	case x.whole:
		return answered
	case errors.Is(cause, errSilent), errors.Is(cause, errTooLong), errors.Is(cause, errNoBody), errors.Is(cause, errStopping):
		return ended
	case cause != nil || x.gone:
		return left
	default:
		return broken
	}
}
