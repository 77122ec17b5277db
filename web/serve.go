package web

import (
	"net/http"
	"strings"
)

// ServePage answers with the page of the portal. It is asked for again each time, and comes again when the
// release is another.
func (t *Tree) ServePage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "private, no-cache")
	t.page.ServeHTTP(w, r)
}

// ServeFile answers a path below Assets, and tells whether there is such a file; it has answered nothing
// otherwise. A browser may keep it for good.
func (t *Tree) ServeFile(w http.ResponseWriter, r *http.Request) bool {
	name, ok := strings.CutPrefix(r.URL.Path, Assets+t.name+"/")
	file, known := t.files[name]
	if !ok || !known {
		return false
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	file.ServeHTTP(w, r)
	return true
}
