package rest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
)

// index finds the route of a request as the mux would, which compares its path with the pattern of each handler
// in turn, and allocates for each.
type index struct {
	// exact are the routes without variables. open are the others by method, in the order of the mux.
	exact map[target]*route
	open  map[string][]*route
}

type target struct{ method, path string }

// find gives the route of an escaped path, with its variables by their names in the proto. It is nil for a path
// that has something to decode, too.
func (i *index) find(method, path string) (*route, map[string]string) {
	if r, ok := i.exact[target{method, path}]; ok {
		return r, nil
	}
	if strings.Contains(path, "%") {
		return nil, nil
	}
	for _, r := range i.open[method] {
		if r.matches(path) {
			return r, r.values(path)
		}
	}
	return nil, nil
}

// serve answers a request with its route. What is none, and paths to decode, are left to the mux.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request) {
	found, variables := h.index.find(r.Method, r.URL.RawPath)
	if found == nil {
		h.mux.ServeHTTP(w, r)
		return
	}
	exchangeOf(r.Context()).route = found
	found.serve(w, r, variables)
}

// askedKey is that of the route for which bind asks the mux.
type askedKey struct{}

// note is called for each handler of the mux. It keeps the route that bind finds to be that of the handler.
func (h *Handler) note(next runtime.HandlerFunc) runtime.HandlerFunc {
	h.handlers++
	place := h.handlers
	var own *route
	return func(w http.ResponseWriter, r *http.Request, variables map[string]string) {
		asked, ok := r.Context().Value(askedKey{}).(*route)
		switch {
		case !ok:
			exchangeOf(r.Context()).route = own
			next(w, r, variables)
		case own == nil:
			own = asked
			own.serve, own.place = next, place
			own.names = make(map[string]string, len(variables))
			for name, segment := range variables {
				own.names[segment] = name
			}
		}
	}
}

// bind finds the handler of each route: the mux is sent a request whose path is that of the endpoint.
func (h *Handler) bind(routes []*route) error {
	h.index = index{map[target]*route{}, map[string][]*route{}}
	for _, r := range routes {
		ctx := context.WithValue(context.Background(), askedKey{}, r)
		ask := &http.Request{Method: r.Method, URL: &url.URL{Path: r.Path}}
		h.mux.ServeHTTP(&partAnswer{header: http.Header{}}, ask.WithContext(ctx))
		switch {
		case r.serve == nil:
			return fmt.Errorf("%s has no handler: rest.yaml and the areas differ", r.name)
		case len(r.names) == 0:
			h.index.exact[target{r.Method, r.Path}] = r
		default:
			h.index.open[r.Method] = append(h.index.open[r.Method], r)
		}
	}
	for _, open := range h.index.open {
		slices.SortFunc(open, func(a, b *route) int { return cmp.Compare(b.place, a.place) }) // the mux begins with the last one
	}
	return nil
}

// values gives the variables of a path that matches.
func (r *route) values(path string) map[string]string {
	values := make(map[string]string, len(r.names))
	segments := strings.Split(path, "/")
	for i, segment := range strings.Split(r.Path, "/") {
		if variable(segment) {
			values[r.names[segment]] = segments[i]
		}
	}
	return values
}
