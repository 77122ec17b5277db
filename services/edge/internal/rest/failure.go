package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// failure is an answer with code "-1".
type failure struct {
	status int
	msg    string
}

// The failures that do not depend on the request. Texts of a gRPC connection that is down name
// addresses, so they are replaced.
var (
	notFound      = failure{http.StatusNotFound, "no such path"}
	wrongMethod   = failure{http.StatusMethodNotAllowed, "the path does not have this method"}
	notJSON       = failure{http.StatusUnsupportedMediaType, "the content type must be application/json"}
	tooMany       = failure{http.StatusTooManyRequests, "too many requests, try again later"}
	internalError = failure{http.StatusInternalServerError, "internal error"}
	unavailable   = failure{http.StatusServiceUnavailable, "the service is not available, try again later"}
	tookTooLong   = failure{http.StatusGatewayTimeout, "the call took too long"}
	// clientGone is never read by anyone; 499 keeps it apart from the service's own failures in
	// statistics, as proxies do.
	clientGone = failure{499, "the request was cancelled"}
)

func badRequest(msg string) failure { return failure{http.StatusBadRequest, msg} }

// fail writes a failure (contract, Response envelope).
func (h *Handler) fail(w http.ResponseWriter, f failure) {
	header := w.Header()
	if f.status == http.StatusTooManyRequests || f.status == http.StatusServiceUnavailable {
		if header.Get("Retry-After") == "" {
			header.Set("Retry-After", "1")
		}
	}
	if x, ok := w.(*exchange); ok {
		x.status = f.status // and not the one that masks it
	}
	code := f.status
	if h.maskErrors && code != http.StatusUnauthorized && code != http.StatusForbidden {
		code = http.StatusOK
	}
	body := appendFailure(nil, f.msg)
	header.Set("Content-Type", contentType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	// A failed write means that the client is gone.
	_, _ = w.Write(body)
}

// notRouted answers what grpc-gateway found no handler for.
func (h *Handler) notRouted(
	_ context.Context, _ *runtime.ServeMux, _ runtime.Marshaler, w http.ResponseWriter, r *http.Request, code int,
) {
	switch code {
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", h.allow(r.URL.RawPath))
		h.fail(w, wrongMethod)
	case http.StatusBadRequest:
		h.fail(w, badRequest("the path is not valid"))
	default:
		h.fail(w, notFound)
	}
}

// callFailed answers a call that grpc-gateway could not make or that the hub refused.
func (h *Handler) callFailed(
	ctx context.Context, _ *runtime.ServeMux, _ runtime.Marshaler, w http.ResponseWriter, r *http.Request, err error,
) {
	var broken *runtime.HTTPStatusError
	if errors.As(err, &broken) {
		// The one case is a path segment with a broken percent escape.
		h.fail(w, badRequest("the path is not valid"))
		return
	}
	st, ok := status.FromError(err)
	if !ok {
		st = status.FromContextError(err)
	}
	if st.Code() == codes.Canceled && r.Context().Err() != nil {
		h.fail(w, clientGone)
		return
	}
	if st.Code() == codes.Unauthenticated {
		// The edge took the token and the hub did not: it ran out in between, or a key was removed.
		challenge(w, `error="invalid_token"`)
	}
	_ = passLimit(ctx, w, nil)
	if f, ok := overLimit(w, st); ok {
		h.fail(w, f) // the access log and a metric have it
		return
	}
	h.fail(w, failureOf(st))
	h.logFailure(ctx, st)
}

// failureOf maps a gRPC status. The codes are those that pkg/grpcserver makes of faults, and those
// that gRPC makes itself.
func failureOf(st *status.Status) failure {
	switch st.Code() {
	case codes.InvalidArgument:
		return badRequest(st.Message())
	case codes.NotFound:
		return failure{http.StatusNotFound, st.Message()}
	case codes.FailedPrecondition:
		return failure{http.StatusConflict, st.Message()}
	case codes.PermissionDenied:
		return failure{http.StatusForbidden, st.Message()}
	case codes.Unauthenticated:
		return failure{http.StatusUnauthorized, st.Message()}
	case codes.ResourceExhausted:
		return tooMany
	case codes.Unavailable, codes.Canceled:
		return unavailable
	case codes.DeadlineExceeded:
		return tookTooLong
	default:
		return internalError
	}
}

// logFailure records what the caller is not told.
func (h *Handler) logFailure(ctx context.Context, st *status.Status) {
	method, _ := runtime.RPCMethod(ctx)
	attrs := []any{"rpc", method, "code", st.Code().String(), "cause", st.Message()}
	switch f := failureOf(st); f {
	case internalError:
		h.logger.ErrorContext(ctx, "call to a hub failed", attrs...)
	case unavailable, tookTooLong, tooMany:
		h.logger.WarnContext(ctx, "call to a hub failed", attrs...)
	}
}

// errUnmapped is a defect: a message that rest.yaml maps and this package does not.
func errUnmapped(message any) error { return fmt.Errorf("no REST shape for %T", message) }
