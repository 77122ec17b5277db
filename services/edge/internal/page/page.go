// Package page writes the plain pages that a browser is shown: a text with links, or a step to another page.
package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
)

// Policy is the Content-Security-Policy of every page: nothing from elsewhere, no inline script or style,
// and no frame around it.
const Policy = "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'"

// The pages need these.
const (
	PathStyle = "/portal/style.css"
	PathIcon  = "/portal/icon.svg"
)

var (
	//go:embed style.css
	style []byte
	//go:embed icon.svg
	icon []byte
	//go:embed page.html
	layout string
)

// Page is what a browser is shown.
type Page struct {
	Title string
	// Text is a paragraph, or empty.
	Text string
	// Links follow the text.
	Links []Link
	// Refresh is an address that the browser goes on to at once; empty stays. It goes there as a step of
	// this page, so that cookies with SameSite=Strict are sent, which they are not along a redirect from
	// another site.
	Refresh string
}

// Link leads to another page.
type Link struct {
	Href, Text string
	// Note stands beside the text.
	Note string
}

var plain = template.Must(template.New("page").Parse(layout))

// Protect sets the headers that keep a page from what others would do with it.
func Protect(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Content-Security-Policy", Policy)
	// Addresses of the login hold its state.
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// Write answers with a page. It panics when the template does not fit, which is a mistake of the program.
func Write(w http.ResponseWriter, status int, p Page) {
	var b bytes.Buffer
	if err := plain.Execute(&b, p); err != nil {
		panic(fmt.Sprintf("page: %v", err))
	}
	Protect(w)
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	// A failed write means that the client is gone.
	_, _ = w.Write(b.Bytes())
}

// ServeStyle answers PathStyle.
func ServeStyle(w http.ResponseWriter, _ *http.Request) {
	asset(w, "text/css; charset=utf-8", style)
}

// ServeIcon answers PathIcon.
func ServeIcon(w http.ResponseWriter, _ *http.Request) { asset(w, "image/svg+xml", icon) }

// asset answers with a file that belongs to the pages of this release.
func asset(w http.ResponseWriter, contentType string, content []byte) {
	header := w.Header()
	header.Set("Content-Type", contentType)
	header.Set("Cache-Control", "no-cache")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	_, _ = w.Write(content)
}
