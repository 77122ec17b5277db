package rest

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"

	"example.com/hub/services/edge/internal/front"
)

// note keeps the route of a request. It is called for each handler of the mux, which looks its route up
// once: when the first request comes, since only then it is told its path.
func (h *Handler) note(next runtime.HandlerFunc) runtime.HandlerFunc {
	h.handlers++
	var once sync.Once
	var found *route
	return func(w http.ResponseWriter, r *http.Request, params map[string]string) {
		once.Do(func() { found = h.routeOf(r) })
		if found == nil {
			h.logger.ErrorContext(r.Context(), "a handler has no endpoint", "path", pathShown(r.URL.EscapedPath()))
			h.fail(w, front.InternalError)
			return
		}
		exchangeOf(r.Context()).route = found
		next(w, r, params)
	}
}

// routeOf gives the route whose handler a request has come to, or nil. A pattern of the mux is a path in
// which a variable has the name that it has in the proto.
func (h *Handler) routeOf(r *http.Request) *route {
	pattern, _ := runtime.HTTPPattern(r.Context())
	path := pattern.String()
	for i := range h.routes {
		if known := &h.routes[i]; known.Method == r.Method && known.matches(path) {
			return known
		}
	}
	return nil
}

// allow lists the methods of a path as an Allow header.
func (h *Handler) allow(path string) string {
	var methods []string
	for i := range h.routes {
		if r := &h.routes[i]; r.matches(path) {
			methods = append(methods, r.Method)
		}
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}

// bare tells that what answers gets the request as it came.
func (r *route) bare() bool {
	return r.Serve != nil || r.Transfer != nil || r.Alias != nil || r.Parts != nil
}

// matches tells whether a path, or a pattern, has the segments of the route.
func (r *route) matches(path string) bool {
	want, got := r.Path, path
	for {
		w, moreWant, ok := strings.Cut(want, "/")
		g, moreGot, also := strings.Cut(got, "/")
		if ok != also || w != g && !variable(w) {
			return false
		}
		if !ok {
			return true
		}
		want, got = moreWant, moreGot
	}
}
