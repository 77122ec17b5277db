// Package reference has the reference page: the OpenAPI document, to read and to try. Swagger UI shows it; the
// page and the script that starts it are Hub's own, so that nothing is inline and nothing comes from elsewhere.
package reference

import (
	"embed"
	"net/http"

	"github.com/swaggest/swgui/v5/static"
	"github.com/vearutop/statigz"

	"example.com/hub/pkg/auth"
	"example.com/hub/services/edge/internal/rest"
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
	ours, library := statigz.FileServer(own), statigz.FileServer(static.FS)
	get := func(path string, files http.Handler, name string) rest.Endpoint {
		return rest.Endpoint{Method: http.MethodGet, Path: Home + path, Rule: auth.Rule{Anyone: true}, Serve: serve(files, name)}
	}
	return rest.Area{Home: Home, Endpoints: []rest.Endpoint{
		get("", ours, "/page.html"),
		get("/start.js", ours, "/start.js"),
		get("/style.css", ours, "/style.css"),
		get("/swagger-ui.css", library, "/swagger-ui.css"),
		get("/swagger-ui-bundle.js", library, "/swagger-ui-bundle.js"),
	}}
}

// serve answers with a file. A browser asks each time whether it still has the one of this release.
func serve(files http.Handler, name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-cache")
		header.Set("Content-Security-Policy", policy)
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Referrer-Policy", "no-referrer")
		r = r.Clone(r.Context())
		r.URL.Path = name
		files.ServeHTTP(w, r)
	}
}
