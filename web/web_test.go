package web_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"example.com/hub/web"
)

func open(t *testing.T) *web.Tree {
	t.Helper()
	tree, err := web.New()
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// get answers a request with the given headers, by name and value.
func get(t *testing.T, tree *web.Tree, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	if path == "/portal/" {
		tree.ServePage(w, r)
	} else if !tree.ServeFile(w, r) {
		w.WriteHeader(http.StatusNotFound)
	}
	return w
}

var address = regexp.MustCompile(`(?:src|href)="(/[^"]+\.[a-z]+)"`)

func TestThePageLoadsWhatIsThere(t *testing.T) {
	tree := open(t)
	page := get(t, tree, "/portal/")
	found := address.FindAllStringSubmatch(page.Body.String(), -1)
	if len(found) < 10 {
		t.Fatalf("it loads %d files:\n%s", len(found), page.Body)
	}
	for _, f := range found {
		file := get(t, tree, f[1])
		if file.Code != http.StatusOK || file.Body.Len() == 0 || strings.Contains(f[1], "/admin/") {
			t.Errorf("%s: %d", f[1], file.Code)
		}
		if got := file.Header().Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: Cache-Control is %q", f[1], got)
		}
	}
	for _, never := range []string{"<style", " style=", " onload=", "<script>"} {
		if strings.Contains(page.Body.String(), never) {
			t.Errorf("the page has %s, which its policy forbids", never)
		}
	}
}

// imported is what a module names of others.
var imported = regexp.MustCompile(`(?:from|import)\s*\(?\s*'([^']+)'`)

// TestModulesImportWhatIsThere follows the imports, since a browser shows nothing of a page that lacks one.
func TestModulesImportWhatIsThere(t *testing.T) {
	tree := open(t)
	seen := map[string]bool{}
	var walk func(string)
	walk = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		module := get(t, tree, tree.Path(name))
		if module.Code != http.StatusOK || module.Header().Get("Content-Type") != "text/javascript; charset=utf-8" {
			t.Errorf("%s: %d %s", name, module.Code, module.Header().Get("Content-Type"))
			return
		}
		// Types are for the check, and not loaded.
		for _, line := range strings.Split(module.Body.String(), "\n") {
			if strings.Contains(line, "@") || strings.HasPrefix(strings.TrimSpace(line), "*") || strings.HasPrefix(line, "//") {
				continue
			}
			for _, i := range imported.FindAllStringSubmatch(line, -1) {
				if !strings.HasPrefix(i[1], ".") {
					t.Errorf("%s imports %s, which is not relative", name, i[1])
					continue
				}
				walk(path.Join(path.Dir(name), i[1]))
			}
		}
	}
	walk("portal/main.js")
	if len(seen) < 15 {
		t.Errorf("it found %d modules", len(seen))
	}
}

func TestWhoHasTheContentIsNotSentItAgain(t *testing.T) {
	tree := open(t)
	for _, path := range []string{"/portal/", tree.Path("portal/main.js")} {
		for _, coding := range []string{"", "gzip, br"} {
			tag := get(t, tree, path, "Accept-Encoding", coding).Header().Get("ETag")
			if again := get(t, tree, path, "Accept-Encoding", coding, "If-None-Match", tag); tag == "" || again.Code != http.StatusNotModified || again.Body.Len() > 0 {
				t.Errorf("%s with %q: %s, %d", path, coding, tag, again.Code)
			}
			if other := get(t, tree, path, "Accept-Encoding", coding, "If-None-Match", `"another"`); other.Code != http.StatusOK {
				t.Errorf("%s with %q and another tag: %d", path, coding, other.Code)
			}
		}
	}
	if got := get(t, tree, "/portal/").Header().Get("Cache-Control"); got != "private, no-cache" {
		t.Errorf("the page: Cache-Control is %q", got)
	}
}

func TestFilesArePackedForWhoTakesThat(t *testing.T) {
	tree := open(t)
	want, err := os.ReadFile("portal/main.js")
	if err != nil {
		t.Fatal(err)
	}
	for coding, packed := range map[string]bool{"gzip": true, "br, gzip;q=0.5": true, "": false, "gzip;q=0": false, "gzip; q=0.0": false, "br": false, "notgzip": false} {
		w := get(t, tree, tree.Path("portal/main.js"), "Accept-Encoding", coding)
		if got := w.Header().Get("Content-Encoding"); (got == "gzip") != packed || w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: Content-Encoding is %q", coding, got)
		}
		var body io.Reader = w.Body
		if packed {
			if body, err = gzip.NewReader(body); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := io.ReadAll(body); err != nil || string(got) != string(want) {
			t.Errorf("%q: the content is another, %v", coding, err)
		}
	}
}

func TestOtherFilesAreUnknown(t *testing.T) {
	tree := open(t)
	for _, path := range []string{
		web.Assets + "x/portal/main.js", tree.Path("portal/none.js"), tree.Path("web.go"), tree.Path("portal/index.html"), tree.Path("portal/../portal/main.js"), tree.Path(""),
	} {
		if w := get(t, tree, path); w.Code != http.StatusNotFound || w.Body.Len() > 0 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}
