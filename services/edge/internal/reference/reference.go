// Package reference has the reference page: the OpenAPI document, to read and to try. Swagger UI shows it; the
// page and the script that starts it are Hub's own, so that nothing is inline and nothing comes from elsewhere.
package reference

import (
	"embed"
	"net/http"

	swagger "github.com/swaggest/swgui/v5/static"

	"example.com/hub/pkg/auth"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/web/static"
)

// Home is the path of the page.
const Home = "/docs"

// policy is the Content-Security-Policy of the page. Swagger UI has its pictures in data URLs, and asks Hub
// alone.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed page.html start.js style.css
var own embed.FS

// Area has the page and its files.
func Area() rest.Area {
	page := func(path, mime, name string) rest.Endpoint {
		return endpoint(path, static.New(mime, read(own, name)))
	}
	library := func(path, mime string) rest.Endpoint {
		return endpoint(path, static.Packed(mime, func() []byte { return read(swagger.FS, path[1:]+".gz") }))
	}
	const style, script = "text/css; charset=utf-8", "text/javascript; charset=utf-8"
	return rest.Area{Home: Home, Endpoints: []rest.Endpoint{
		page("", "text/html; charset=utf-8", "page.html"),
		page("/start.js", script, "start.js"),
		page("/style.css", style, "style.css"),
		library("/swagger-ui.css", style),
		library("/swagger-ui-bundle.js", script),
	}}
}

// read gives a file that the program was built with.
func read(files embed.FS, name string) []byte {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return text
}

// endpoint answers with a file. A browser asks each time whether it still has the one of this release.
func endpoint(path string, file static.File) rest.Endpoint {
	return rest.Endpoint{Method: http.MethodGet, Path: Home + path, Rule: auth.Rule{Anyone: true}, Serve: func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-cache")
		header.Set("Content-Security-Policy", policy)
		header.Set("Referrer-Policy", "no-referrer")
		file.ServeHTTP(w, r)
	}}
}
