// Package front is what a front of Hub over HTTP needs whatever it serves: the envelope and the failures
// in it, the state of a request until its answer is written, and request bodies within a memory budget.
package front

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"example.com/hub/pkg/jsontext"
)

// The parts of every envelope (contract, Response envelope). It ends with a line feed, for the sake of
// terminals.
const (
	// SuccessHead and SuccessTail stand around the data of a success.
	SuccessHead = `{"code":"0","msg":"ok","data":`
	SuccessTail = "}\n"

	failureHead = `{"code":"-1","msg":`
	failureTail = `,"data":null}` + "\n"
)

// ContentType is that of every envelope.
const ContentType = "application/json"

// Failure is an answer with code "-1".
type Failure struct {
	Status int
	Msg    string
}

// Error is the message.
func (f Failure) Error() string { return f.Msg }

// The failures that do not depend on the request. Texts of a gRPC connection that is down name
// addresses, so they are replaced.
var (
	NotFound      = Failure{http.StatusNotFound, "no such path"}
	WrongMethod   = Failure{http.StatusMethodNotAllowed, "the path does not have this method"}
	NotJSON       = Failure{http.StatusUnsupportedMediaType, "the content type must be application/json"}
	TooMany       = Failure{http.StatusTooManyRequests, "too many requests, try again later"}
	InternalError = Failure{http.StatusInternalServerError, "internal error"}
	Unavailable   = Failure{http.StatusServiceUnavailable, "the service is not available, try again later"}
	TookTooLong   = Failure{http.StatusGatewayTimeout, "the call took too long"}
	// ClientGone is never read by anyone; 499 keeps it apart from the service's own failures in
	// statistics, as proxies do.
	ClientGone = Failure{499, "the request was cancelled"}
)

// BadRequest is a failure of the caller's.
func BadRequest(msg string) Failure { return Failure{http.StatusBadRequest, msg} }

// Succeed writes a success with data, which must be fit for JSON.
func Succeed(w http.ResponseWriter, data any) {
	b, err := json.Marshal(data)
	if err != nil {
		panic(fmt.Sprintf("front: %v", err))
	}
	Answer(w, append(append([]byte(SuccessHead), b...), SuccessTail...))
}

// Answer writes an envelope.
func Answer(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", ContentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	// A failed write means that the client is gone.
	_, _ = w.Write(body)
}

// AppendFailure writes the envelope of a failure.
func AppendFailure(b []byte, msg string) []byte {
	b = append(b, failureHead...)
	b = jsontext.AppendString(b, msg)
	return append(b, failureTail...)
}

// Fail writes a failure (contract, Response envelope). A masked one has the status 200, unless it is 401
// or 403.
func Fail(w http.ResponseWriter, f Failure, mask bool) {
	header := w.Header()
	if f.Status == http.StatusTooManyRequests || f.Status == http.StatusServiceUnavailable {
		if header.Get("Retry-After") == "" {
			header.Set("Retry-After", "1")
		}
	}
	if x, ok := w.(interface{ failed(status int) }); ok {
		x.failed(f.Status)
	}
	code := f.Status
	if mask && code != http.StatusUnauthorized && code != http.StatusForbidden {
		code = http.StatusOK
	}
	body := AppendFailure(nil, f.Msg)
	header.Set("Content-Type", ContentType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	// A failed write means that the client is gone.
	_, _ = w.Write(body)
}
