package rest

import (
	"errors"
	"net/http"
	"strings"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
	"example.com/hub/services/edge/internal/front"
)

// Authenticator tells who makes a request.
type Authenticator interface {
	// Authenticate gives the principal, whatever the endpoint; what it may call is for the endpoint's rule
	// to say, and how surely its permissions must be known. Nothing of the body is read; fields may be added
	// to the header of the answer. Its errors are faults: Unauthenticated, with the cause auth.ErrNoToken
	// where nothing was presented; Forbidden for a principal that may call nothing, or not in this way; and
	// Unavailable while nobody can tell.
	Authenticate(w http.ResponseWriter, r *http.Request, rule auth.Rule) (auth.Principal, error)
}

// Bearer is an Authenticator by the bearer token of the header (contract, Authentication 2). A token in the
// query or in a form is not looked for: RFC 6750 sections 2.2 and 2.3 are optional, and such tokens end up
// in logs.
type Bearer struct{ Verifier auth.Verifier }

// Authenticate implements Authenticator.
func (b Bearer) Authenticate(_ http.ResponseWriter, r *http.Request, _ auth.Rule) (auth.Principal, error) {
	token, err := auth.Bearer(r.Header["Authorization"])
	if err != nil {
		return auth.Principal{}, err
	}
	return b.Verifier.Verify(r.Context(), token)
}

// authenticate lets a request pass that the endpoint's rule admits (contract, Authentication 1 and 6). It
// comes after routing and before anything of the request is read, so that an unknown path needs no token and
// a stranger costs little.
func (h *Handler) authenticate(next runtime.HandlerFunc) runtime.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request, params map[string]string) {
		x := exchangeOf(r.Context())
		rule := x.route.Rule
		if rule.Anyone {
			next(w, r, params)
			return
		}
		p, known := auth.From(r.Context()) // of a request that the front makes for another one
		if !known {
			var err error
			p, err = h.authenticator.Authenticate(w, r, rule)
			switch {
			case err != nil && x.route.Ask != nil && lacksSession(r, err):
				x.route.Ask(w, r)
				return
			case err != nil:
				h.refuse(w, r, err)
				return
			}
		}
		x.Client = p.Name()
		x.audit(rule, p, params)
		if !rule.Admits(p) {
			h.forbid(w, rule, p)
			return
		}
		next(w, r.WithContext(auth.With(r.Context(), p)), params)
	}
}

// lacksSession tells whether a login helps a request that was refused: of a browser that goes somewhere, and
// that sent no token.
func lacksSession(r *http.Request, err error) bool {
	return fault.KindOf(err) == fault.Unauthenticated && len(r.Header["Authorization"]) == 0 && navigates(r)
}

// refuse answers a request whose caller is not known.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	switch f := fault.As(err); f.Kind {
	case fault.Unauthenticated:
		if errors.Is(err, auth.ErrNoToken) {
			challenge(w)
		} else {
			challenge(w, `error="invalid_token"`)
		}
		h.fail(w, front.Failure{Status: http.StatusUnauthorized, Msg: f.Public})
	case fault.Forbidden:
		h.fail(w, front.Failure{Status: http.StatusForbidden, Msg: f.Public})
	case fault.Unavailable:
		h.fail(w, front.Unavailable)
		h.logger.WarnContext(r.Context(), "caller cannot be authenticated", "cause", err)
	default:
		h.fail(w, front.InternalError)
		h.logger.ErrorContext(r.Context(), "caller cannot be authenticated", "cause", err)
	}
}

// forbid answers a caller whom the rule does not admit.
func (h *Handler) forbid(w http.ResponseWriter, rule auth.Rule, p auth.Principal) {
	msg := "this caller may not make the call"
	if rule.Scope != "" {
		msg = "the token lacks the scope " + rule.Scope
		challenge(w, `error="insufficient_scope"`, `scope="`+rule.Scope+`"`)
	}
	if p.User != "" {
		msg = "insufficient_scope: this user may not make the call"
	}
	h.fail(w, front.Failure{Status: http.StatusForbidden, Msg: msg})
}

// challenge sets the header of RFC 6750 section 3. Without parameters it says only that a token is
// needed, which is what a request without one is to be told.
func challenge(w http.ResponseWriter, params ...string) {
	value := strings.Join(append([]string{`Bearer realm="hub"`}, params...), ", ")
	w.Header().Set("WWW-Authenticate", value)
}
