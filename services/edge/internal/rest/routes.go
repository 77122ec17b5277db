package rest

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"

	"example.com/hub/pkg/field"
	"example.com/hub/pkg/telemetry"
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
	// name is how the contract writes the route, for metrics and logs.
	name string
	// metrics count its requests.
	metrics *telemetry.Endpoint
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
		own = append(own, route{method: http.MethodPost, path: "/api/login/oauth/token", open: true, serve: plain(tokens.ServeToken)})
	}
	if documents != nil {
		own = append(own,
			route{method: http.MethodGet, path: "/.well-known/jwks.json", open: true, serve: plain(documents.ServeKeys)},
			route{method: http.MethodGet, path: "/.well-known/openid-configuration", open: true, serve: plain(documents.ServeDiscovery)},
			route{method: http.MethodGet, path: "/.well-known/oauth-authorization-server", open: true, serve: plain(documents.ServeDiscovery)},
		)
	}
	return own
}

// find notes the route of a request that was routed already.
func (h *Handler) find(next runtime.HandlerFunc) runtime.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request, params map[string]string) {
		for i := range h.routes {
			if candidate := &h.routes[i]; candidate.method == r.Method && candidate.matches(r.URL.RawPath) {
				exchangeOf(r.Context()).route = candidate
				break
			}
		}
		next(w, r, params)
	}
}

// allow lists the methods of a path as an Allow header.
func (h *Handler) allow(path string) string {
	var methods []string
	for i := range h.routes {
		if candidate := &h.routes[i]; candidate.matches(path) {
			methods = append(methods, candidate.method)
		}
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}

func (r *route) matches(path string) bool {
	want, got := r.path, path
	for {
		w, moreWant, ok := strings.Cut(want, "/")
		g, moreGot, also := strings.Cut(got, "/")
		if ok != also || w != g && !strings.HasPrefix(w, "{") {
			return false
		}
		if !ok {
			return true
		}
		want, got = moreWant, moreGot
	}
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
	if h.limiter != nil && !h.takeStream(x, r) {
		return
	}
	x.answered, x.status = true, http.StatusOK
	setWriteDeadline(w, noDeadline)
	if err := h.streams.Serve(x.ResponseWriter, r, user); err != nil {
		x.answered = false
		h.fail(x, internalError)
		h.logger.ErrorContext(r.Context(), "stream cannot be served", "cause", err)
	}
}
