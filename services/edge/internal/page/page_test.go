package page_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/hub/services/edge/internal/page"
)

func TestAPageHasNothingThatItsPolicyForbids(t *testing.T) {
	w := httptest.NewRecorder()
	page.Write(w, http.StatusBadRequest, page.Page{
		Title: "A <title>", Text: `<script>alert("x")</script>`, Refresh: "/portal/?a=1&b=2",
		Links: []page.Link{{Href: "/portal/?q=\"><b>", Text: "<b>", Note: "<i>"}, {Href: "javascript:alert(1)", Text: "x"}},
	})
	body := w.Body.String()
	for _, never := range []string{"<script", "<style", " style=", " onclick=", "<b>", "<i>", `href="javascript`} {
		if strings.Contains(body, never) {
			t.Errorf("the page has %s:\n%s", never, body)
		}
	}
	if want := `<meta http-equiv="refresh" content="0; url=/portal/?a=1&amp;b=2">`; !strings.Contains(body, want) {
		t.Errorf("the page has no %s:\n%s", want, body)
	}
	for name, want := range map[string]string{
		"Content-Security-Policy":      page.Policy,
		"Content-Type":                 "text/html; charset=utf-8",
		"Referrer-Policy":              "no-referrer",
		"Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if w.Code != http.StatusBadRequest {
		t.Errorf("status %d", w.Code)
	}
}

func TestThePagesFindWhatTheyNeed(t *testing.T) {
	w := httptest.NewRecorder()
	page.Write(w, http.StatusOK, page.Page{Title: "Hello"})
	for path, serve := range map[string]http.HandlerFunc{page.PathStyle: page.ServeStyle, page.PathIcon: page.ServeIcon} {
		if !strings.Contains(w.Body.String(), `href="`+path+`"`) {
			t.Errorf("a page does not ask for %s", path)
		}
		answer := httptest.NewRecorder()
		serve(answer, httptest.NewRequest(http.MethodGet, path, nil))
		if answer.Code != http.StatusOK || answer.Body.Len() == 0 {
			t.Errorf("%s answers %d with %d bytes", path, answer.Code, answer.Body.Len())
		}
	}
}
