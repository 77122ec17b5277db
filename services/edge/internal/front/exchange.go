package front

import (
	"cmp"
	"net/http"
	"syscall"
	"time"
)

// Exchange is what a front knows of a request until its answer is written. It is the response writer
// too, so that a panic knows whether an answer has begun, and the access log how it ended.
type Exchange struct {
	http.ResponseWriter
	// Answered is true from the first byte of the answer on.
	Answered bool
	// Status is that of the answer, without a mask.
	Status int
	// Client is the id of a verified caller.
	Client string
	// Socket is the connection, where an answer may be held back until it is whole, or nil.
	Socket syscall.RawConn
}

// WriteHeader implements http.ResponseWriter.
func (x *Exchange) WriteHeader(status int) {
	x.Answered = true
	x.Status = cmp.Or(x.Status, status)
	x.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (x *Exchange) Write(b []byte) (int, error) {
	begun := x.Answered
	x.Answered = true
	x.Status = cmp.Or(x.Status, http.StatusOK)
	if !begun && len(b) > large && x.Socket != nil {
		return x.whole(b)
	}
	return x.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (x *Exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// failed keeps the status of a failure, and not the one that masks it.
func (x *Exchange) failed(status int) { x.Status = status }

// NoDeadline takes a deadline away.
var NoDeadline time.Time

// The deadlines below are set only where the connection has some; a recorder in a test has none,
// and a connection that is closed fails at its next use anyway.

// SetWriteDeadline bounds the writing of the answer.
func SetWriteDeadline(w http.ResponseWriter, t time.Time) {
	_ = http.NewResponseController(w).SetWriteDeadline(t)
}

// SetReadDeadline bounds the reading of the body.
func SetReadDeadline(w http.ResponseWriter, t time.Time) {
	_ = http.NewResponseController(w).SetReadDeadline(t)
}
