package rest

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"

	"example.com/hub/pkg/field"
	"example.com/hub/services/edge/openapi"
)

const streamPath = "/message-hub/stream"

// route is a method and path that the front knows.
type route struct {
	method string
	// path is a template; a segment in braces stands for any segment.
	path string
	// open routes need no token.
	open bool
	// serve is nil for the routes that grpc-gateway's generated code serves.
	serve runtime.HandlerFunc
}

// contractRoutes are the routes of rest.yaml, from which grpc-gateway's handlers are generated.
var contractRoutes = []route{
	{method: http.MethodPost, path: "/todo-hub/todos"},
	{method: http.MethodGet, path: "/todo-hub/todos"},
	{method: http.MethodPost, path: "/todo-hub/todos/{todoId}/clear"},
	{method: http.MethodPost, path: "/todo-hub/todos/{todoId}/invalidate"},
	{method: http.MethodPost, path: "/message-hub/messages"},
	{method: http.MethodGet, path: "/message-hub/inbox"},
	{method: http.MethodGet, path: "/message-hub/unread-count"},
	{method: http.MethodPost, path: "/message-hub/messages/{id}/read"},
}

// ownRoutes are the routes that are no gRPC call. None of them has a variable segment.
func (h *Handler) ownRoutes(tokens Tokens, documents Documents) []route {
	own := []route{
		{method: http.MethodGet, path: streamPath, serve: h.serveStream},
		{method: http.MethodGet, path: "/openapi.yaml", open: true, serve: serveOpenAPI},
	}
	if tokens != nil {
		own = append(own, route{http.MethodPost, "/api/login/oauth/token", true, plain(tokens.ServeToken)})
	}
	if documents != nil {
		own = append(own,
			route{http.MethodGet, "/.well-known/jwks.json", true, plain(documents.ServeKeys)},
			route{http.MethodGet, "/.well-known/openid-configuration", true, plain(documents.ServeDiscovery)},
			route{http.MethodGet, "/.well-known/oauth-authorization-server", true, plain(documents.ServeDiscovery)},
		)
	}
	return own
}

// own finds the route of a request that was routed already, when it is one of ownRoutes.
func (h *Handler) own(r *http.Request) (route, bool) {
	for _, candidate := range h.routes[len(contractRoutes):] {
		// Routed without variables, the path is the template itself.
		if candidate.path == r.URL.RawPath {
			return candidate, true
		}
	}
	return route{}, false
}

// allow lists the methods of a path as an Allow header.
func (h *Handler) allow(path string) string {
	var methods []string
	for _, candidate := range h.routes {
		if candidate.matches(path) {
			methods = append(methods, candidate.method)
		}
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}

func (r route) matches(path string) bool {
	want, got := strings.Split(r.path, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(w, g string) bool {
		return w == g || strings.HasPrefix(w, "{")
	})
}

func plain(serve http.HandlerFunc) runtime.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request, _ map[string]string) { serve(w, r) }
}

func serveOpenAPI(w http.ResponseWriter, _ *http.Request, _ map[string]string) {
	w.Header().Set("Content-Type", "application/yaml")
	// A failed write means that the client is gone.
	_, _ = w.Write(openapi.Document)
}

// serveStream checks the parameters of a stream and hands it over.
func (h *Handler) serveStream(w http.ResponseWriter, r *http.Request, _ map[string]string) {
	values, err := parseQuery(r)
	if err != nil {
		h.fail(w, badRequest(err.Error()))
		return
	}
	q := query{values: values}
	user := q.text("user")
	var c field.Checks
	c.Username("user", user, field.Required)
	if err := cmp.Or(q.err, c.Err()); err != nil {
		h.fail(w, badRequest(err.Error()))
		return
	}
	x := exchangeOf(r.Context())
	x.answered = true
	setWriteDeadline(w, noDeadline)
	if err := h.streams.Serve(x.ResponseWriter, r, user); err != nil {
		x.answered = false
		h.fail(x, internalError)
		h.logger.ErrorContext(r.Context(), "stream cannot be served", "cause", err)
	}
}
