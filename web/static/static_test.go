package static_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/hub/web/static"
)

const text = "a text that somebody asks for"

func packed(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func get(t *testing.T, f static.File, coding, tag string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.Header.Set("Accept-Encoding", coding)
	r.Header.Set("If-None-Match", tag)
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w
}

func TestATextIsTheSameHoweverItIsKept(t *testing.T) {
	for name, f := range map[string]static.File{
		"as it is": static.New("text/plain", []byte(text)),
		"packed":   static.Packed("text/plain", func() []byte { return packed(t) }),
	} {
		tags := map[string]bool{}
		for _, coding := range []string{"", "gzip"} {
			first := get(t, f, coding, "")
			tag := first.Header().Get("ETag")
			tags[tag] = true
			if len(tag) < 3 || tag[0] != '"' || tag[len(tag)-1] != '"' || first.Header().Get("Content-Encoding") != coding {
				t.Errorf("%s, %q: the tag is %s, and the coding %q", name, coding, tag, first.Header().Get("Content-Encoding"))
			}
			var body io.Reader = first.Body
			if coding == "gzip" {
				var err error
				if body, err = gzip.NewReader(body); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := io.ReadAll(body); err != nil || string(got) != text {
				t.Errorf("%s, %q: %q, %v", name, coding, got, err)
			}
			if again := get(t, f, coding, `"other", W/`+tag); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
				t.Errorf("%s, %q, once more: %d, %d bytes", name, coding, again.Code, again.Body.Len())
			}
		}
		if len(tags) != 2 {
			t.Errorf("%s: both codings have the tag %v", name, tags)
		}
	}
}
