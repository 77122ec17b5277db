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

var plain = Parse(layout)

// Parse reads the template of a page.
func Parse(text string) *template.Template {
	return template.Must(template.New("page").Parse(text))
}

// Write answers with a page.
func Write(w http.ResponseWriter, status int, p Page) { Render(w, status, plain, p) }

// Render answers with a template and its data. It panics when they do not fit, which is a mistake of the
// program.
func Render(w http.ResponseWriter, status int, t *template.Template, data any) {
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		panic(fmt.Sprintf("page: %v", err))
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", Policy)
	// Addresses of the login hold its state.
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	// A failed write means that the client is gone.
	_, _ = w.Write(b.Bytes())
}

// ServeStyle answers PathStyle.
func ServeStyle(w http.ResponseWriter, _ *http.Request) {
	Asset(w, "text/css; charset=utf-8", style)
}

// ServeIcon answers PathIcon.
func ServeIcon(w http.ResponseWriter, _ *http.Request) { Asset(w, "image/svg+xml", icon) }

// Asset answers with a file that belongs to the pages of this release.
func Asset(w http.ResponseWriter, contentType string, content []byte) {
	header := w.Header()
	header.Set("Content-Type", contentType)
	header.Set("Cache-Control", "no-cache")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	_, _ = w.Write(content)
}
