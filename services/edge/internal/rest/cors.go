package rest

import (
	"net/http"
	"slices"

	"github.com/rs/cors"

	"example.com/hub/pkg/ratelimit"
)

// preflightAge is for how long browsers may remember the answer to a preflight, in seconds.
const preflightAge = 600

// newCORS lets pages of other origins call with a user's bearer token (Fetch, section 3.2). Their requests
// have no cookies that count, and browsers are told of no credentials. Nil without origins.
func newCORS(origins []string) *cors.Cors {
	if len(origins) == 0 {
		return nil
	}
	return cors.New(cors.Options{
		// The library's own comparison takes any case and wildcards.
		AllowOriginFunc: func(origin string) bool { return slices.Contains(origins, origin) },
		AllowedMethods:  []string{http.MethodGet, http.MethodPost, http.MethodPut},
		AllowedHeaders:  []string{"Authorization", "Content-Type", "If-None-Match", "Last-Event-ID"},
		ExposedHeaders: []string{
			"ETag", "Retry-After", ratelimit.StateHeader, ratelimit.PolicyHeader,
			"Hub-Created", "Hub-Duplicates", "Hub-Switched", "Hub-Stale",
		},
		MaxAge: preflightAge,
	})
}

// shareOrigins adds what browsers want to know of a request for a path that users may call. It has
// answered when it is true: a preflight of an origin that is listed. All others go on, and no path has the
// method OPTIONS.
func (h *Handler) shareOrigins(w http.ResponseWriter, r *http.Request) (answered bool) {
	if h.cors == nil || !h.forUsers(r.URL.EscapedPath()) {
		return false
	}
	if r.Method == http.MethodOptions && !h.cors.OriginAllowed(r) {
		w.Header().Add("Vary", "Origin")
		return false
	}
	h.cors.HandlerFunc(w, r)
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}

// forUsers tells whether users may call a path, with any method.
func (h *Handler) forUsers(path string) bool {
	return slices.ContainsFunc(h.routes, func(r route) bool {
		return (r.Rule.User || r.Rule.Permission != "") && r.matches(path)
	})
}
