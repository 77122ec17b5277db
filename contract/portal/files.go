package portal

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"strings"
	"sync"
	"testing"

	"example.com/hub/contract"
)

func fileCases() []peopleCase {
	return []peopleCase{
		{"an administrator uploads a file and every user reads it", fileUploaded},
		{"equal files have addresses of their own", fileTwice},
		{"only people with the permission content upload", fileForAdmins},
		{"an upload of another site is refused", fileSite},
		{"a file is for users and not for clients", fileForUsers},
		{"a file that is not there is 404", fileUnknown},
		{"no browser takes a file for anything else", fileHeaders},
		{"a file never changes and has no ranges", fileUnchanged},
		{"a file of 10 MiB is kept and one byte more is 413", fileSize},
		{"the type of a file is what its bytes are", fileTypes},
		{"what is no picture and no PDF is 415", fileOthers},
		{"nothing follows the end of a picture", filePolyglots},
		{"what follows the end of a photo is left out", filePhotos},
		{"a picture of more than 50 megapixels is 415", fileBombs},
		{"the name of a file is the end of its path", fileNames},
		{"a name that misleads is 400", fileBadNames},
		{"a body that is no form is refused", fileNoForm},
		{"a form has exactly one part which is called file", fileForms},
		{"sixteen files arrive at once", filesAtOnce},
	}
}

const uploadPath = "/portal/admin/files/upload"

// storedFile is the answer to an upload.
type storedFile struct {
	ID   string `json:"id"`
	URL  string `json:"url"`
	Type string `json:"type"`
	Size int    `json:"size"`
}

// formOf is a form with one file, and its content type.
func formOf(disposition, content string) (body, kind string) {
	const boundary = "----a-boundary"
	return "--" + boundary + "\r\nContent-Disposition: " + disposition + "\r\nContent-Type: text/html\r\n\r\n" + content +
		"\r\n--" + boundary + "--\r\n", "multipart/form-data; boundary=" + boundary
}

// sendForm sends a body to the upload, in the name of the administrator.
func (st *stage) sendForm(t *testing.T, kind, body string) reply {
	t.Helper()
	return st.ask(t, http.MethodPost, uploadPath, with(st.bearer(t, st.carla), "Content-Type", kind), body)
}

// tryUpload uploads a file in the name of the administrator.
func (st *stage) tryUpload(t *testing.T, name, content string) reply {
	t.Helper()
	body, kind := formOf(fmt.Sprintf(`form-data; name="file"; filename="%s"`, name), content)
	return st.sendForm(t, kind, body)
}

func (st *stage) upload(t *testing.T, name, content string) storedFile {
	t.Helper()
	return decode[storedFile](t, st.tryUpload(t, name, content).data(t))
}

// aPicture is a PNG that no other case has.
func aPicture(t *testing.T, width, height int) string {
	t.Helper()
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i, c := range []byte(contract.Fresh("picture")) {
		picture.SetNRGBA(i%width, i/width%height, color.NRGBA{c, c, c, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func fileUploaded(t *testing.T, st *stage) {
	content := aPicture(t, 30, 20)
	f := st.upload(t, "a.png", content)
	if len(f.ID) != 32 || strings.Trim(f.ID, "0123456789abcdef") != "" || f.URL != "/files/"+f.ID || f.Type != "image/png" || f.Size != len(content) {
		t.Errorf("the answer is %+v", f)
	}
	for who, r := range map[string]reply{
		"a session":         st.hers.get(t, f.URL),
		"a link":            st.hers.send(t, http.MethodGet, f.URL, navigation("cross-site"), ""),
		"a token":           st.ask(t, http.MethodGet, f.URL, st.bearer(t, st.ben), ""),
		"the administrator": st.admin(t, http.MethodGet, f.URL, ""),
	} {
		if r.status != http.StatusOK || string(r.body) != content {
			t.Errorf("%s: %d, %d bytes", who, r.status, len(r.body))
		}
	}
}

func fileTwice(t *testing.T, st *stage) {
	content := aPicture(t, 30, 20)
	first, second := st.upload(t, "a.png", content), st.upload(t, "b.png", content)
	if first.ID == second.ID {
		t.Error("they have the same id")
	}
	for _, f := range []storedFile{first, second} {
		if r := st.hers.get(t, f.URL); string(r.body) != content {
			t.Errorf("%s", r)
		}
	}
}

func fileForAdmins(t *testing.T, st *stage) {
	body, kind := formOf(`form-data; name="file"; filename="a.png"`, aPicture(t, 3, 2))
	send := func(header http.Header) reply {
		return st.ask(t, http.MethodPost, uploadPath, with(header, "Content-Type", kind), body)
	}
	for _, user := range []string{st.amy, st.ben} {
		send(st.bearer(t, user)).fails(t, http.StatusForbidden)
	}
	_, _, client := st.Access(t)
	send(client).fails(t, http.StatusForbidden)
	send(http.Header{}).fails(t, http.StatusUnauthorized)
	v := st.visitor()
	v.logIn(t, st.carla, "")
	v.send(t, http.MethodPost, uploadPath, with(ownPage, "Content-Type", kind), body).data(t)
}

func fileSite(t *testing.T, st *stage) {
	v := st.visitor()
	v.logIn(t, st.carla, "")
	body, kind := formOf(`form-data; name="file"; filename="a.png"`, aPicture(t, 3, 2))
	for name, header := range foreign() {
		if r := v.send(t, http.MethodPost, uploadPath, with(header, "Content-Type", kind), body); r.status != http.StatusForbidden {
			t.Errorf("%s: %s", name, r)
		}
	}
}

func fileForUsers(t *testing.T, st *stage) {
	f := st.upload(t, "a.png", aPicture(t, 3, 2))
	st.ask(t, http.MethodGet, f.URL, nil, "").fails(t, http.StatusUnauthorized)
	_, _, client := st.Access(t)
	st.ask(t, http.MethodGet, f.URL, client, "").fails(t, http.StatusForbidden)
	st.hers.send(t, http.MethodGet, f.URL, http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"no-cors"}, "Sec-Fetch-Dest": {"image"}}, "").
		fails(t, http.StatusForbidden)
}

func fileUnknown(t *testing.T, st *stage) {
	f := st.upload(t, "a.png", aPicture(t, 3, 2))
	for _, id := range []string{
		strings.Repeat("0", 32), strings.ToUpper(f.ID), f.ID + "0", f.ID[:31], f.ID + ".png", "%61" + f.ID[1:], "..%2f" + f.ID, "%00", "a.png", "%ff", f.ID + "%20",
	} {
		if id != f.ID {
			st.hers.get(t, "/files/"+id).fails(t, http.StatusNotFound)
		}
	}
}

func fileHeaders(t *testing.T, st *stage) {
	for name, content := range map[string]string{"a.png": aPicture(t, 3, 2), "a.pdf": "%PDF-1.7\n<html><script>alert(1)</script>"} {
		f := st.upload(t, name, content)
		r := st.hers.get(t, f.URL)
		disposition := map[string]string{"a.png": "inline", "a.pdf": "attachment"}[name]
		for header, value := range map[string]string{
			"Content-Type":                 f.Type,
			"Content-Disposition":          disposition + "; filename*=UTF-8''" + name,
			"X-Content-Type-Options":       "nosniff",
			"Content-Security-Policy":      "default-src 'none'; sandbox",
			"Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := r.header.Values(header); len(got) != 1 || got[0] != value {
				t.Errorf("%s: %s is %q, want %q", name, header, got, value)
			}
		}
	}
}

func fileUnchanged(t *testing.T, st *stage) {
	content := aPicture(t, 30, 20)
	f := st.upload(t, "a.png", content)
	r := st.hers.send(t, http.MethodGet, f.URL, with(ownPage, "Range", "bytes=1-2"), "")
	if r.status != http.StatusOK || string(r.body) != content || r.header.Get("Accept-Ranges") != "none" {
		t.Errorf("a range: %d, %d bytes, Accept-Ranges %q", r.status, len(r.body), r.header.Get("Accept-Ranges"))
	}
	if got := r.header.Values("Cache-Control"); len(got) != 1 || got[0] != "private, max-age=31536000, immutable" {
		t.Errorf("Cache-Control is %q", got)
	}
	r = st.hers.send(t, http.MethodGet, f.URL, with(ownPage, "If-None-Match", r.header.Get("Etag")), "")
	if r.status != http.StatusNotModified || len(r.body) != 0 {
		t.Errorf("%s", r)
	}
}

func fileSize(t *testing.T, st *stage) {
	const most = 10 << 20
	content := "%PDF-1.7\n" + strings.Repeat("x", most-9)
	if f := st.upload(t, "a.pdf", content); f.Size != most {
		t.Errorf("the answer is %+v", f)
	} else if r := st.hers.get(t, f.URL); string(r.body) != content {
		t.Errorf("%d bytes come back", len(r.body))
	}
	st.tryUpload(t, "a.pdf", content+"x").fails(t, http.StatusRequestEntityTooLarge)
	st.tryUpload(t, "a.pdf", content+strings.Repeat("x", 1<<20)).fails(t, http.StatusRequestEntityTooLarge)
}

// samples are files by their types.
func samples(t *testing.T) map[string]string {
	t.Helper()
	picture := image.NewPaletted(image.Rect(0, 0, 30, 20), color.Palette{color.Black, color.White})
	var g, j bytes.Buffer
	if err := gif.EncodeAll(&g, &gif.GIF{Image: []*image.Paletted{picture, picture}, Delay: []int{0, 0}}); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&j, picture, nil); err != nil {
		t.Fatal(err)
	}
	w, err := base64.StdEncoding.DecodeString("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"image/png": aPicture(t, 30, 20), "image/gif": g.String(), "image/jpeg": j.String(), "image/webp": string(w), "application/pdf": "%PDF-1.4\n%%EOF\n",
	}
}

func fileTypes(t *testing.T, st *stage) {
	for kind, content := range samples(t) {
		f := st.upload(t, "evil.html", content)
		r := st.hers.get(t, f.URL)
		if f.Type != kind || r.header.Get("Content-Type") != kind || string(r.body) != content {
			t.Errorf("%s: %+v, %s", kind, f, r.header.Get("Content-Type"))
		}
	}
}

func fileOthers(t *testing.T, st *stage) {
	for _, content := range []string{
		"", "hello", "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"/>", "<?xml version=\"1.0\"?><svg/>", "\ufeff<svg/>", "<!DOCTYPE html><script>alert(1)</script>",
		"<html></html>", " %PDF-1.7", "PK\x03\x04", "BM\x00\x00", "MZ", "\x00\x00\x00\x20ftypavif", "GIF89", "\x89PNG\r\n", "\xff\xd8\xff", "RIFF\x00\x00\x00\x00WAVE", "#!/bin/sh\n",
	} {
		st.tryUpload(t, "a.png", content).fails(t, http.StatusUnsupportedMediaType)
	}
}

// tails are what somebody may hang on to a picture.
func tails(content string) []string {
	return []string{"\x00", "<script>alert(1)</script>", "PK\x05\x06" + strings.Repeat("\x00", 18), "*/=1;alert(1)//", content}
}

func filePolyglots(t *testing.T, st *stage) {
	for kind, content := range samples(t) {
		if kind == "application/pdf" {
			continue
		}
		for _, tail := range tails(content) {
			if kind != "image/jpeg" {
				st.tryUpload(t, "a.png", content+tail).fails(t, http.StatusUnsupportedMediaType)
			}
		}
		st.tryUpload(t, "a.png", content[:len(content)-1]).fails(t, http.StatusUnsupportedMediaType)
	}
	st.tryUpload(t, "a.gif", "GIF89a=1;alert(document.domain)//").fails(t, http.StatusUnsupportedMediaType)
}

func filePhotos(t *testing.T, st *stage) {
	content := samples(t)["image/jpeg"]
	for _, tail := range tails(content) {
		f := st.upload(t, "a.jpg", content+tail)
		if r := st.hers.get(t, f.URL); f.Size != len(content) || string(r.body) != content {
			t.Errorf("%+v, %d bytes come back of %d", f, len(r.body), len(content))
		}
	}
}

func fileBombs(t *testing.T, st *stage) {
	bomb := []byte(aPicture(t, 3, 2))
	binary.BigEndian.PutUint32(bomb[16:], 50_001)
	binary.BigEndian.PutUint32(bomb[20:], 1000)
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	st.tryUpload(t, "a.png", string(bomb)).fails(t, http.StatusUnsupportedMediaType)
	st.tryUpload(t, "a.gif", "GIF89a\x01\x00\x01\x00\x00\x00\x00\x2c\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x00\x3b").fails(t, http.StatusUnsupportedMediaType)
}

func filesAtOnce(t *testing.T, st *stage) {
	var all sync.WaitGroup
	for i := range 16 {
		content := fmt.Sprintf("%%PDF-1.7\n%s %d %s", contract.Fresh("file"), i, strings.Repeat("x", 1<<20))
		body, kind := formOf(`form-data; name="file"; filename="a.pdf"`, content)
		header := with(st.bearer(t, st.carla), "Content-Type", kind)
		all.Go(func() {
			r := st.visitor().send(t, http.MethodPost, uploadPath, header, body)
			if r.status != http.StatusOK {
				t.Errorf("%s", r)
				return
			}
			f := decode[storedFile](t, r.data(t))
			if r := st.visitor().send(t, http.MethodGet, f.URL, header, ""); string(r.body) != content {
				t.Errorf("%d: %d bytes come back", r.status, len(r.body))
			}
		})
	}
	all.Wait()
}
