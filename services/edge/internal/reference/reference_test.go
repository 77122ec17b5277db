package reference_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/hub/services/edge/internal/reference"
)

func TestThePageAndItsFilesAreThere(t *testing.T) {
	begin := map[string]string{
		"/docs": "<!doctype html>", "/docs/start.js": "", "/docs/style.css": "", "/docs/swagger-ui.css": ".swagger-ui", "/docs/swagger-ui-bundle.js": "/*!",
	}
	for _, e := range reference.Area().Endpoints {
		w := httptest.NewRecorder()
		e.Serve(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, e.Path, nil))
		want, known := begin[e.Path]
		if !known || w.Code != http.StatusOK || w.Body.Len() < 50 || !strings.HasPrefix(w.Body.String(), want) {
			t.Errorf("%s: %d, %d bytes, %.20q", e.Path, w.Code, w.Body.Len(), w.Body)
		}
	}
}
