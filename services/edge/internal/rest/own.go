package rest

import (
	"cmp"
	"net/http"

	"google.golang.org/grpc/status"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/field"
	"example.com/hub/services/edge/internal/front"
	"example.com/hub/services/edge/openapi"
)

// ownEndpoints are those that are no gRPC call.
func (h *Handler) ownEndpoints(tokens Tokens, documents Documents) []Endpoint {
	user, anyone := auth.Rule{Scope: auth.ScopeClient, User: true}, auth.Rule{Anyone: true}
	own := []Endpoint{
		{Method: http.MethodGet, Path: "/message-hub/stream", Rule: user, Serve: h.serveStream},
		{Method: http.MethodGet, Path: "/openapi.yaml", Rule: anyone, Serve: serveOpenAPI},
	}
	if tokens != nil {
		own = append(own, Endpoint{Method: http.MethodPost, Path: "/api/login/oauth/token", Rule: anyone, Serve: tokens.ServeToken})
	}
	if documents != nil {
		own = append(own,
			Endpoint{Method: http.MethodGet, Path: "/.well-known/jwks.json", Rule: anyone, Serve: documents.ServeKeys},
			Endpoint{Method: http.MethodGet, Path: "/.well-known/openid-configuration", Rule: anyone, Serve: documents.ServeDiscovery},
			Endpoint{Method: http.MethodGet, Path: "/.well-known/oauth-authorization-server", Rule: anyone, Serve: documents.ServeDiscovery},
		)
	}
	return own
}

func serveOpenAPI(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/yaml")
	// A failed write means that the client is gone.
	_, _ = w.Write(openapi.Document)
}

// serveStream checks the parameters of a stream and hands it over.
func (h *Handler) serveStream(w http.ResponseWriter, r *http.Request) {
	values, err := parseQuery(r)
	if err != nil {
		h.fail(w, front.BadRequest(err.Error()))
		return
	}
	p, _ := auth.From(r.Context())
	q := Request{query: values, principal: p}
	var user string
	if name := q.Username("user", "user"); name != nil {
		user = *name
	}
	var c field.Checks
	c.Username("user", user, field.Required)
	if err := cmp.Or(q.fault, c.Err()); err != nil {
		h.fail(w, failureOf(status.New(codeOf(err), err.Error())))
		return
	}
	x := exchangeOf(r.Context())
	if h.limiter != nil && !h.takeStream(x, r) {
		return
	}
	x.Answered, x.Status = true, http.StatusOK
	front.SetWriteDeadline(w, front.NoDeadline)
	if err := h.streams.Serve(x.ResponseWriter, r, user); err != nil {
		x.Answered = false
		h.fail(x, front.InternalError)
		h.logger.ErrorContext(r.Context(), "stream cannot be served", "cause", err)
	}
}
