package file

import (
	"errors"
	"io"
	"math"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"unicode/utf8"

	"example.com/hub/services/edge/internal/front"
)

// maxHead is the most that a form may have in bytes before its file, and behind it.
const maxHead = 16 << 10

var (
	errNotForm  = front.Failure{Status: http.StatusUnsupportedMediaType, Msg: "the content type must be multipart/form-data"}
	errBoundary = front.BadRequest("the content type must name a boundary of 1 to 70 characters")
	errForm     = front.BadRequest("the body is not a valid form")
	errParts    = front.BadRequest("the form must have exactly one part, which is called file")
	errHead     = front.BadRequest("the form must have at most 16384 bytes beside the file")
	errEncoded  = front.BadRequest("the file must not be encoded for the transfer")
	errName     = front.BadRequest("name is not valid UTF-8")
	// errArrival is what nobody reads whose connection broke.
	errArrival = front.BadRequest("the file did not arrive")
)

// form is a body with one file (RFC 7578), of which nothing is kept.
type form struct {
	body  bounded
	parts *multipart.Reader
	part  *multipart.Part
}

// openForm reads up to the bytes of the file, and gives its name as it came.
func openForm(r *http.Request) (f *form, name string, err error) {
	boundary, err := boundaryOf(r.Header)
	if err != nil {
		return nil, "", err
	}
	f = &form{body: bounded{r: r.Body, left: maxHead}}
	f.parts = multipart.NewReader(&f.body, boundary)
	if f.part, err = f.parts.NextRawPart(); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, "", errParts
		}
		return nil, "", f.failed()
	}
	disposition, params, err := mime.ParseMediaType(f.part.Header.Get("Content-Disposition"))
	switch {
	case err != nil:
		return nil, "", errForm
	case disposition != "form-data" || params["name"] != "file":
		return nil, "", errParts
	case !plain(f.part.Header.Get("Content-Transfer-Encoding")):
		return nil, "", errEncoded
	case !utf8.ValidString(params["filename"]):
		return nil, "", errName
	}
	f.body.left = math.MaxInt64 // the bytes of the file are counted where they are read
	return f, params["filename"], nil
}

// boundaryOf wants a form that is not compressed.
func boundaryOf(header http.Header) (string, error) {
	types := header.Values("Content-Type")
	if len(types) != 1 || !plain(header.Get("Content-Encoding")) {
		return "", errNotForm
	}
	kind, params, err := mime.ParseMediaType(types[0])
	if kind != "multipart/form-data" {
		return "", errNotForm
	}
	if boundary := params["boundary"]; err == nil && len(boundary) >= 1 && len(boundary) <= 70 {
		return boundary, nil
	}
	return "", errBoundary
}

// plain tells whether an encoding leaves the bytes as they are.
func plain(encoding string) bool {
	switch strings.ToLower(encoding) {
	case "", "identity", "binary", "8bit", "7bit":
		return true
	}
	return false
}

// read fills b with the next bytes of the file; n is less than all of b at its end only.
func (f *form) read(b []byte) (n int, err error) {
	for n < len(b) {
		m, err := f.part.Read(b[n:])
		if n += m; errors.Is(err, io.EOF) {
			return n, io.EOF
		}
		if err != nil {
			return n, f.failed()
		}
	}
	return n, nil
}

// end wants nothing to follow the file.
func (f *form) end() error {
	f.body.left = maxHead
	switch _, err := f.parts.NextRawPart(); {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return errParts
	}
	return f.failed()
}

// failed tells a form that is broken from one that did not arrive.
func (f *form) failed() error {
	switch {
	case f.body.left <= 0:
		return errHead
	case f.body.err != nil && !errors.Is(f.body.err, io.EOF):
		return errArrival
	}
	return errForm
}

// bounded reads at most so many bytes, and keeps the error of its reader.
type bounded struct {
	r    io.Reader
	left int64
	err  error
}

func (b *bounded) Read(p []byte) (n int, err error) {
	if b.left <= 0 {
		return 0, errHead
	}
	n, b.err = b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, b.err
}
