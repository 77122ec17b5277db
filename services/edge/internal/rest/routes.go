package rest

import (
	"slices"
	"strings"
)

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
