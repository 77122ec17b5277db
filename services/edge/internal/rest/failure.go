package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/hub/services/edge/internal/front"
)

// fail writes a failure.
func (h *Handler) fail(w http.ResponseWriter, f front.Failure) { front.Fail(w, f, h.maskErrors) }

// notRouted answers what grpc-gateway found no handler for.
func (h *Handler) notRouted(
	_ context.Context, _ *runtime.ServeMux, _ runtime.Marshaler, w http.ResponseWriter, r *http.Request, code int,
) {
	switch code {
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", h.allow(r.URL.RawPath))
		h.fail(w, front.WrongMethod)
	case http.StatusBadRequest:
		h.fail(w, front.BadRequest("the path is not valid"))
	default:
		if h.home != "" && r.URL.Path == "/" && wantsPage(r) {
			http.Redirect(w, r, h.home, http.StatusSeeOther)
			return
		}
		h.fail(w, front.NotFound)
	}
}

// wantsPage tells whether a browser asks for a page.
func wantsPage(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// navigates tells whether a browser asks for a page or says that it goes there, whatever it accepts (Fetch
// Metadata, section 2.2).
func navigates(r *http.Request) bool {
	return wantsPage(r) || r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate"
}

// callFailed answers a call that grpc-gateway could not make or that the hub refused.
func (h *Handler) callFailed(
	ctx context.Context, _ *runtime.ServeMux, _ runtime.Marshaler, w http.ResponseWriter, r *http.Request, err error,
) {
	var broken *runtime.HTTPStatusError
	if errors.As(err, &broken) {
		// The one case is a path segment with a broken percent escape.
		h.fail(w, front.BadRequest("the path is not valid"))
		return
	}
	st, ok := status.FromError(err)
	if !ok {
		st = status.FromContextError(err)
	}
	if st.Code() == codes.Canceled && r.Context().Err() != nil {
		h.fail(w, front.ClientGone)
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
func failureOf(st *status.Status) front.Failure {
	switch st.Code() {
	case codes.InvalidArgument:
		return front.BadRequest(st.Message())
	case codes.NotFound:
		return front.Failure{Status: http.StatusNotFound, Msg: st.Message()}
	case codes.FailedPrecondition:
		return front.Failure{Status: http.StatusConflict, Msg: st.Message()}
	case codes.PermissionDenied:
		return front.Failure{Status: http.StatusForbidden, Msg: st.Message()}
	case codes.Unauthenticated:
		return front.Failure{Status: http.StatusUnauthorized, Msg: st.Message()}
	case codes.ResourceExhausted:
		return front.TooMany
	case codes.Unavailable, codes.Canceled:
		return front.Unavailable
	case codes.DeadlineExceeded:
		return front.TookTooLong
	default:
		return front.InternalError
	}
}

// logFailure records what the caller is not told.
func (h *Handler) logFailure(ctx context.Context, st *status.Status) {
	method, _ := runtime.RPCMethod(ctx)
	attrs := []any{"rpc", method, "code", st.Code().String(), "cause", st.Message()}
	switch f := failureOf(st); f {
	case front.InternalError:
		h.logger.ErrorContext(ctx, "call to a hub failed", attrs...)
	case front.Unavailable, front.TookTooLong, front.TooMany:
		h.logger.WarnContext(ctx, "call to a hub failed", attrs...)
	}
}

// errUnmapped is a defect: a message that rest.yaml maps and this package does not.
func errUnmapped(message any) error { return fmt.Errorf("no REST shape for %T", message) }
