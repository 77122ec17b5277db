package web

import (
	"net/http"
	"strconv"
	"strings"
)

// ServePage answers with the page of the portal. It is asked for again each time, and comes again when the
// release is another.
func (t *Tree) ServePage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "private, no-cache")
	t.page.serve(w, r)
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
	file.serve(w, r)
	return true
}

// serve answers 304 to who has the content, and packs it for who takes that.
func (c content) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", c.mime)
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Vary", "Accept-Encoding")
	body, tag := c.plain, `"`+c.tag+`"`
	if takesGzip(r) {
		header.Set("Content-Encoding", "gzip")
		body, tag = c.small, `"`+c.tag+`.gz"`
	}
	header.Set("ETag", tag)
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		header.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	// A failed write means that the client is gone.
	_, _ = w.Write(body)
}

// takesGzip tells whether a request takes answers in gzip (RFC 9110, section 12.5.3).
func takesGzip(r *http.Request) bool {
	for _, coding := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if strings.TrimSpace(name) != "gzip" {
			continue
		}
		q, given := strings.CutPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
		value, err := strconv.ParseFloat(q, 64)
		return !given || err == nil && value > 0
	}
	return false
}
