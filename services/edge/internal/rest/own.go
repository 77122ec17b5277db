package rest

import (
	"cmp"
	"net/http"
	"strconv"

	"google.golang.org/grpc/status"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/field"
	"example.com/hub/services/edge/internal/front"
	"example.com/hub/services/edge/internal/topic"
	"example.com/hub/services/edge/openapi"
)

// ownEndpoints are those that are no gRPC call.
func (h *Handler) ownEndpoints(tokens Tokens, documents Documents) []Endpoint {
	user, anyone := auth.Rule{Scope: auth.ScopeClient, User: true}, auth.Rule{Anyone: true}
	own := []Endpoint{
		{Method: http.MethodGet, Path: "/message-hub/stream", Rule: user, Serve: h.serveStream},
		{Method: http.MethodGet, Path: "/message-hub/ws", Rule: user, Serve: h.serveSocket},
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
	w.Header().Set("Content-Length", strconv.Itoa(len(openapi.Document)))
	// A failed write means that the client is gone.
	_, _ = w.Write(openapi.Document)
}

// listener reads whose events a request asks for, and which. It has answered when it is not ok.
func (h *Handler) listener(w http.ResponseWriter, r *http.Request) (user string, topics topic.Set, ok bool) {
	values, err := parseQuery(r)
	if err != nil {
		h.fail(w, front.BadRequest(err.Error()))
		return "", 0, false
	}
	p, _ := auth.From(r.Context())
	q := Request{query: values, principal: p}
	if name := q.Username("user", "user"); name != nil {
		user = *name
	}
	var c field.Checks
	c.Username("user", user, field.Required)
	named := cmp.Or(q.fault, c.Err())
	topics = q.Topics()
	if err := cmp.Or(named, q.fault); err != nil {
		h.fail(w, failureOf(status.New(codeOf(err), err.Error())))
		return "", 0, false
	}
	return user, topics, true
}

// serveSocket checks the parameters of a WebSocket and hands it over.
func (h *Handler) serveSocket(w http.ResponseWriter, r *http.Request) {
	user, topics, ok := h.listener(w, r)
	if !ok {
		return
	}
	if wait, ok := h.takeOpening(w, r); !ok {
		setRetryAfter(w, wait)
		h.fail(w, front.TooMany)
		return
	}
	if f := h.sockets.Serve(w, r, user, topics); f != nil {
		h.fail(w, *f)
	}
}

// serveStream checks the parameters of a stream and hands it over.
func (h *Handler) serveStream(w http.ResponseWriter, r *http.Request) {
	user, topics, ok := h.listener(w, r)
	if !ok {
		return
	}
	x := exchangeOf(r.Context())
	if !h.takeStream(x, r) {
		return
	}
	x.Answered, x.Status = true, http.StatusOK
	front.SetWriteDeadline(w, front.NoDeadline)
	if err := h.streams.Serve(x.ResponseWriter, r, user, topics); err != nil {
		x.Answered = false
		h.fail(x, front.InternalError)
		h.logger.ErrorContext(r.Context(), "stream cannot be served", "cause", err)
	}
}
