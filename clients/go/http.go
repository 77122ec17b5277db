package hub

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"

	"google.golang.org/grpc/codes"
)

// defaultAgent is the user agent where none is given.
const defaultAgent = "hub-go"

// answerError is why REST refuses, by the status and the message of the envelope.
func answerError(answer *http.Response) error {
	var envelope struct{ Msg string }
	body, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err == nil {
		err = json.Unmarshal(body, &envelope)
	}
	message := envelope.Msg
	if err != nil { // a proxy answers, not Hub
		message = ""
	}
	return &Error{
		Code:       codeOf(answer.StatusCode),
		Message:    cmp.Or(message, answer.Status),
		RetryAfter: retryAfter(answer),
	}
}

// codeOf translates a status of HTTP.
func codeOf(status int) codes.Code {
	switch status {
	case http.StatusBadRequest:
		return codes.InvalidArgument
	case http.StatusUnauthorized:
		return codes.Unauthenticated
	case http.StatusForbidden:
		return codes.PermissionDenied
	case http.StatusNotFound:
		return codes.NotFound
	case http.StatusTooManyRequests:
		return codes.ResourceExhausted
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return codes.DeadlineExceeded
	}
	if status >= http.StatusInternalServerError {
		return codes.Unavailable
	}
	return codes.Unknown
}

// retryAfter reads the header, in seconds as Hub sends it; 0 is none.
func retryAfter(answer *http.Response) time.Duration {
	seconds, err := strconv.ParseUint(answer.Header.Get("Retry-After"), 10, 16)
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
