package rest

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"google.golang.org/grpc/status"

	"example.com/hub/pkg/auth"
)

// Alias is another endpoint of the same method, which answers in the place of one. Its rule must admit whoever
// that of the first one does.
type Alias struct {
	// Path is that of the other endpoint. It has as many variables as that of the first one, in the same order.
	Path string
	// Query gives the query for it; nil leaves that of the request. Its errors are for the caller.
	Query func(r *Request) (url.Values, error)
}

// serveAlias sends a request to the other endpoint. It stays one of its own route in metrics and logs.
func (h *Handler) serveAlias(w http.ResponseWriter, r *http.Request, _ map[string]string) {
	x := exchangeOf(r.Context())
	asked := x.route
	defer func() { x.route = asked }()
	target := *r.URL
	target.RawPath = asked.aliased(r.URL.RawPath)
	if asked.Alias.Query != nil {
		query, err := aliasQuery(asked.Alias, r)
		if err != nil {
			h.fail(w, failureOf(status.New(codeOf(err), err.Error())))
			return
		}
		target.RawQuery = query.Encode()
	}
	other := r.WithContext(r.Context())
	other.URL = &target
	h.serve(w, other)
}

func aliasQuery(a *Alias, r *http.Request) (url.Values, error) {
	values, err := parseQuery(r)
	if err != nil {
		return nil, err
	}
	q := Request{query: values}
	q.principal, _ = auth.From(r.Context())
	query, err := a.Query(&q)
	return query, cmp.Or(q.fault, err)
}

// aliased gives the path of the other endpoint for a path of this one.
func (r *route) aliased(path string) string {
	var values []string
	came := strings.Split(path, "/")
	for i, segment := range strings.Split(r.Path, "/") {
		if variable(segment) {
			values = append(values, came[i])
		}
	}
	segments := strings.Split(r.Alias.Path, "/")
	for i, segment := range segments {
		if variable(segment) {
			segments[i], values = values[0], values[1:]
		}
	}
	return strings.Join(segments, "/")
}
