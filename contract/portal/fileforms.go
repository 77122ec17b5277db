package portal

import (
	"net/http"
	"strings"
	"testing"
)

// disposition gives the header of a file that was uploaded with a name.
func (st *stage) disposition(t *testing.T, said string) string {
	t.Helper()
	body, kind := formOf(said, aPicture(t, 3, 2))
	f := decode[storedFile](t, st.sendForm(t, kind, body).data(t))
	return st.hers.get(t, f.URL).header.Get("Content-Disposition")
}

func fileNames(t *testing.T, st *stage) {
	for said, want := range map[string]string{
		`form-data; name="file"; filename="../../etc/passwd"`:                 "passwd",
		`form-data; name="file"; filename="/a/b.png"`:                         "b.png",
		`form-data; name="file"; filename="C:\\Users\\amy\\b c.png"`:          "b%20c.png",
		`form-data; name="file"; filename="a\"; filename=\"b.html"`:           "a%22%3B%20filename%3D%22b.html",
		`form-data; name="file"; filename="für alle.pdf"`:                     "f%C3%BCr%20alle.pdf",
		`form-data; name="file"; filename*=UTF-8''%e2%82%ac%20rates'*.png`:    "%E2%82%AC%20rates%27%2A.png",
		`form-data; name="file"; filename="..png"`:                            "..png",
		`form-data; name="file"`:                                              "file",
		`form-data; name="file"; filename="` + strings.Repeat("a", 255) + `"`: strings.Repeat("a", 255),
	} {
		if got := st.disposition(t, said); got != "inline; filename*=UTF-8''"+want {
			t.Errorf("%s: %s", said, got)
		}
	}
}

func fileBadNames(t *testing.T, st *stage) {
	for _, said := range []string{
		`form-data; name="file"; filename*=UTF-8''a%0d%0aSet-Cookie%3a%20x%3dy`,
		`form-data; name="file"; filename*=UTF-8''a%00.png`,
		`form-data; name="file"; filename*=UTF-8''exe.%e2%80%aegnp`,
		`form-data; name="file"; filename="` + strings.Repeat("a", 256) + `"`,
		`form-data; name="file"; filename=".."`,
		`form-data; name="file"; filename="a/"`,
		"form-data; name=\"file\"; filename=\"a\xff.png\"",
	} {
		body, kind := formOf(said, aPicture(t, 3, 2))
		if msg := st.sendForm(t, kind, body).fails(t, http.StatusBadRequest); !strings.Contains(msg, "name") {
			t.Errorf("%s: %s", said, msg)
		}
	}
}

func fileNoForm(t *testing.T, st *stage) {
	body, kind := formOf(`form-data; name="file"; filename="a.png"`, aPicture(t, 3, 2))
	for _, kind := range []string{"image/png", "application/json", "multipart/mixed; boundary=----a-boundary", "text/plain", "multipart/form-data2; boundary=x"} {
		st.sendForm(t, kind, body).fails(t, http.StatusUnsupportedMediaType)
	}
	st.ask(t, http.MethodPost, uploadPath, with(st.bearer(t, st.carla), "Content-Type", kind, "Content-Encoding", "gzip"), body).fails(t, http.StatusUnsupportedMediaType)
	st.ask(t, http.MethodPost, uploadPath, st.bearer(t, st.carla), body).fails(t, http.StatusUnsupportedMediaType)
	for _, kind := range []string{"multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=" + strings.Repeat("x", 71), "multipart/form-data; boundary=other"} {
		st.sendForm(t, kind, body).fails(t, http.StatusBadRequest)
	}
}

func fileForms(t *testing.T, st *stage) {
	one, kind := formOf(`form-data; name="file"; filename="a.png"`, aPicture(t, 3, 2))
	head, end, _ := strings.Cut(one, "\r\n\r\n")
	another, _ := formOf(`form-data; name="file"; filename="b.png"`, aPicture(t, 3, 2))
	field, _ := formOf(`form-data; name="other"`, "x")
	open := strings.TrimSuffix(one, "--\r\n")
	for name, body := range map[string]string{
		"nothing":                ``,
		"no part":                "------a-boundary--\r\n",
		"a part of another name": strings.Replace(one, `name="file"`, `name="File"`, 1),
		"a part without a name":  strings.Replace(one, `name="file"; `, ``, 1),
		"no disposition":         strings.Replace(one, `Content-Disposition`, `X`, 1),
		"an attachment":          strings.Replace(one, `form-data; name`, `attachment; name`, 1),
		"two parts":              open + strings.TrimPrefix(another, "------a-boundary"),
		"a field behind it":      open + strings.TrimPrefix(field, "------a-boundary"),
		"a field before it":      strings.TrimSuffix(field, "--\r\n") + strings.TrimPrefix(one, "------a-boundary"),
		"no end":                 open[:len(open)-8],
		"no end of the header":   head,
		"an endless header":      head + "\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n" + end,
		"many headers":           head + strings.Repeat("\r\nX: y", 10_000) + "\r\n\r\n" + end,
		"much in front":          strings.Repeat("x", 1<<20) + "\r\n" + one,
		"another coding":         head + "\r\nContent-Transfer-Encoding: base64\r\n\r\n" + end,
		"quoted text":            head + "\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" + end,
	} {
		if r := st.sendForm(t, kind, body); r.status != http.StatusBadRequest {
			t.Errorf("%s: %s", name, r)
		}
	}
	inner, _ := formOf(`form-data; name="file"; filename="a.png"`, strings.ReplaceAll(one, "a-boundary", "another"))
	st.sendForm(t, kind, inner).fails(t, http.StatusUnsupportedMediaType)
}
