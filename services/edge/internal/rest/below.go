package rest

import (
	"net/http"
	"strings"

	"example.com/hub/services/edge/internal/front"
)

// belowAllow are the methods of RFC 9110 and RFC 5789 that an endpoint with Below has; it has others, too.
const belowAllow = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"

// below tells whether the endpoint serves all below its path.
func (e *Endpoint) below() bool { return strings.HasSuffix(e.Path, Below) }

// routeBelow gives the route that serves an escaped path with all below it, or nil.
func (h *Handler) routeBelow(path string) *route {
	for _, r := range h.below {
		if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(r.Path, Below)); ok && (rest == "" || rest[0] == '/') {
			return r
		}
	}
	return nil
}

// serveBelow answers with a route that has any method. The mux routes by method and decodes paths, so it is not
// asked.
func (h *Handler) serveBelow(x *exchange, r *http.Request, found *route) {
	x.route = found
	x.Header().Set("Hub-Origin", "edge")
	if r.Method == http.MethodConnect || r.Method == http.MethodTrace {
		x.Header().Set("Allow", belowAllow)
		h.fail(x, front.WrongMethod)
		return
	}
	h.authenticate(func(w http.ResponseWriter, r *http.Request, _ map[string]string) { found.Serve(w, r) })(x, r, nil)
}
