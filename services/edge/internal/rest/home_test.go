package rest_test

import (
	"net/http"
	"testing"

	"example.com/hub/pkg/auth"
	"example.com/hub/services/edge/internal/rest"
)

// pages is an area of pages, of which one is the home.
func pages(d *rest.Deps) {
	serve := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("the page")) }
	d.Areas = append(d.Areas, rest.Area{Home: "/portal/", Endpoints: []rest.Endpoint{
		{Method: http.MethodGet, Path: "/portal/", Rule: auth.Rule{Anyone: true}, Serve: serve},
	}})
}

func TestBrowsersFindTheHome(t *testing.T) {
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	f, without := newFront(t, pages), newFront(t)
	if w := f.send(t, http.MethodGet, "/", "", "Accept", browser, "Authorization", ""); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/portal/" {
		t.Errorf("a browser is answered %d and sent to %q", w.Code, w.Header().Get("Location"))
	}
	wantMessage(t, f.send(t, http.MethodGet, "/", ""), http.StatusNotFound, "no such path")
	wantMessage(t, f.send(t, http.MethodGet, "/", "", "Accept", "application/json"), http.StatusNotFound, "no such path")
	wantMessage(t, f.send(t, http.MethodPost, "/", "", "Accept", browser), http.StatusNotFound, "no such path")
	wantMessage(t, f.send(t, http.MethodGet, "/x", "", "Accept", browser), http.StatusNotFound, "no such path")
	wantMessage(t, without.send(t, http.MethodGet, "/", "", "Accept", browser), http.StatusNotFound, "no such path")
}

func TestAPathMayEndWithASlash(t *testing.T) {
	f := newFront(t, pages)
	if w := f.send(t, http.MethodGet, "/portal/", "", "Authorization", ""); w.Code != http.StatusOK || w.Body.String() != "the page" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for _, path := range []string{"/portal", "/portal//", "/portal/x", "/portal/%2F", "/Portal/"} {
		wantMessage(t, f.send(t, http.MethodGet, path, ""), http.StatusNotFound, "no such path")
	}
	w := f.send(t, http.MethodPost, "/portal/", "")
	wantFailure(t, w, http.StatusMethodNotAllowed)
	if got := w.Header().Get("Allow"); got != http.MethodGet {
		t.Errorf("Allow is %q", got)
	}
}
