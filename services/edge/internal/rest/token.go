package rest

import (
	"net/http"
	"strings"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
	"example.com/hub/services/edge/internal/front"
)

// authenticate lets a request pass whose token is valid and has the scope of the contract
// (contract, Authentication 1 and 6). It comes after routing and before anything of the request is
// read, so that an unknown path needs no token and a stranger costs little.
func (h *Handler) authenticate(next runtime.HandlerFunc) runtime.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request, params map[string]string) {
		x := exchangeOf(r.Context())
		if x.route.Caller == Anyone {
			next(w, r, params)
			return
		}
		// A token in the query or in a form is not looked for: RFC 6750 sections 2.2 and 2.3 are
		// optional, and such tokens end up in logs.
		token, err := auth.Bearer(r.Header["Authorization"])
		if err != nil {
			challenge(w)
			h.fail(w, front.Failure{Status: http.StatusUnauthorized, Msg: fault.As(err).Public})
			return
		}
		caller, err := h.verifier.Verify(r.Context(), token)
		if err != nil {
			h.refuse(w, r, err)
			return
		}
		x.Client = caller.ClientID
		if !caller.HasScope(auth.ScopeClient) {
			challenge(w, `error="insufficient_scope"`, `scope="`+auth.ScopeClient+`"`)
			h.fail(w, front.Failure{Status: http.StatusForbidden, Msg: "the token lacks the scope " + auth.ScopeClient})
			return
		}
		next(w, r.WithContext(auth.WithCaller(r.Context(), caller)), params)
	}
}

// refuse answers a token that could not be verified.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	switch f := fault.As(err); f.Kind {
	case fault.Unauthenticated:
		challenge(w, `error="invalid_token"`)
		h.fail(w, front.Failure{Status: http.StatusUnauthorized, Msg: f.Public})
	case fault.Unavailable:
		h.fail(w, front.Unavailable)
		h.logger.WarnContext(r.Context(), "token cannot be verified", "cause", err)
	default:
		h.fail(w, front.InternalError)
		h.logger.ErrorContext(r.Context(), "token cannot be verified", "cause", err)
	}
}

// challenge sets the header of RFC 6750 section 3. Without parameters it says only that a token is
// needed, which is what a request without one is to be told.
func challenge(w http.ResponseWriter, params ...string) {
	value := strings.Join(append([]string{`Bearer realm="hub"`}, params...), ", ")
	w.Header().Set("WWW-Authenticate", value)
}
