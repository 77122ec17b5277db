package rest

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
)

// note keeps the route of a request. It makes a handler for each path of the mux, and each handler looks
// its route up once, when the first request tells it which path it has.
func (h *Handler) note(next runtime.HandlerFunc) runtime.HandlerFunc {
	h.handlers++
	var once sync.Once
	found := &h.unknown
	return func(w http.ResponseWriter, r *http.Request, params map[string]string) {
		once.Do(func() {
			if pattern, ok := runtime.HTTPPattern(r.Context()); ok {
				found = h.routeOf(r.Method, pattern.String())
			}
		})
		exchangeOf(r.Context()).route = found
		next(w, r, params)
	}
}

// routeOf gives the route of a pattern of the mux, in which a variable has the name that it has in the
// proto.
func (h *Handler) routeOf(method, pattern string) *route {
	for i := range h.routes {
		if r := &h.routes[i]; r.Method == method && r.matches(pattern) {
			return r
		}
	}
	return &h.unknown
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

// matches tells whether a path, or a pattern, has the segments of the route.
func (r *route) matches(path string) bool {
	want, got := r.Path, path
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
