package shape_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"example.com/hub/test/server"
	"example.com/hub/test/shape"
)

// withBucket has both replicas of portalhub keep their files in a bucket of a real S3 server, which ends with t, or
// with kill. Its program is bin/versitygw.
func withBucket(t *testing.T) (change func(cfg *shape.Config), kill func()) {
	t.Helper()
	program, err := filepath.Abs("../../bin/versitygw")
	if err != nil {
		t.Fatal(err)
	}
	s3, err := server.S3(t.Context(), program, t.TempDir())
	if err != nil {
		t.Fatalf("make bin/versitygw: %v", err)
	}
	t.Cleanup(s3.Kill)
	at, err := url.Parse(s3.Address)
	if err != nil {
		t.Fatal(err)
	}
	secret, _ := at.User.Password()
	keys := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte(at.User.Username()+"\n"+secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := []string{"HUB_FILES_URL=s3:http://" + at.Host + at.Path + "/a", "HUB_FILES_KEYS_FILE=" + keys}
	return func(cfg *shape.Config) {
		cfg.Own = map[string][]string{"portalhub-1": settings, "portalhub-2": settings}
	}, s3.Kill
}

// TestWithoutTheBucket uploads and reads a picture, and then takes the S3 server away.
func TestWithoutTheBucket(t *testing.T) {
	t.Parallel()
	change, kill := withBucket(t)
	s := startWith(t, change)
	edge := "http://" + s.edges[0].Public
	header := http.Header{"Authorization": {"Bearer " + demoToken(t, edge, "carla")}}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	upload := func() (status int, url string) {
		t.Helper()
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		part, err := w.CreateFormFile("file", "a.png")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = part.Write(picture.Bytes())
		_ = w.Close()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, edge+"/portal/admin/files/upload", &form)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = header.Clone()
		r.Header.Set("Content-Type", w.FormDataContentType())
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		var answer struct {
			Data struct{ URL string }
		}
		if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, answer.Data.URL
	}
	status := func(path string) int {
		t.Helper()
		resp, _ := ask(t, http.DefaultClient, edge+path, header)
		return resp.StatusCode
	}
	code, file := upload()
	if code != http.StatusOK || status(file) != http.StatusOK {
		t.Fatalf("an upload: %d, and its file %q", code, file)
	}
	kill()
	if code, _ := upload(); code != http.StatusServiceUnavailable {
		t.Errorf("an upload: %d, want 503", code)
	}
	for path, want := range map[string]int{file: http.StatusServiceUnavailable, "/cms/feeds?type=news": http.StatusOK, "/portal/home": http.StatusOK} {
		if got := status(path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
}
