package file

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"

	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
	"example.com/hub/services/edge/internal/front"
	"example.com/hub/services/edge/internal/rest"
)

// download answers a file. Once its first byte is sent, a failure cuts the connection.
func (a area) download(w http.ResponseWriter, r *http.Request) error {
	until := time.Now().Add(a.config.Timeout)
	front.SetWriteDeadline(w, until)
	if err := a.turn(r.Context()); err != nil {
		return err
	}
	defer a.downloads.Release(1)
	ctx, cancel := context.WithDeadline(outgoing(r.Context()), until)
	defer cancel()
	// The id is the one segment behind the folder; one with an escape in it is no file's.
	id := strings.TrimPrefix(r.URL.EscapedPath(), "/files/")
	stream, err := a.hub.DownloadFile(ctx, &contentv1.DownloadFileRequest{Id: id})
	if err != nil {
		return refusal(err)
	}
	first, err := stream.Recv()
	if sent, headErr := stream.Header(); headErr == nil {
		rest.PassLimit(w, sent)
	}
	if err != nil {
		return refusal(err)
	}
	f := first.GetFile()
	if front.NoneMatches(r.Header, tag(f)) {
		setHeader(w.Header(), f)
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	// Until its first bytes are there, the answer may be a failure, which no browser is to keep for a year.
	chunk, err := stream.Recv()
	if err != nil {
		return refusal(err)
	}
	setHeader(w.Header(), f)
	w.Header().Set("Content-Length", strconv.FormatInt(f.GetSize(), 10))
	return copyBytes(w, chunk, stream)
}

// turn waits until a download may begin.
func (a area) turn(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, a.patience)
	defer cancel()
	if a.downloads.Acquire(ctx, 1) != nil {
		return errBusy
	}
	return nil
}

// copyBytes sends a chunk and those behind it.
func copyBytes(w http.ResponseWriter, chunk *contentv1.DownloadFileResponse, stream grpc.ServerStreamingClient[contentv1.DownloadFileResponse]) error {
	for {
		if _, err := w.Write(chunk.GetChunk()); err != nil {
			return err
		}
		var err error
		if chunk, err = stream.Recv(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// tag is the entity tag of a file, which never changes.
func tag(f *contentv1.File) string { return `"` + f.GetId() + `"` }

// setHeader says what a file is, and keeps browsers from taking it for anything else. It may be shown where it
// is a picture, and is otherwise for the disk.
func setHeader(h http.Header, f *contentv1.File) {
	kind := media[f.GetType()]
	if kind == "" {
		kind = "application/octet-stream" // a type of a later portalhub
	}
	disposition := "attachment"
	if strings.HasPrefix(kind, "image/") {
		disposition = "inline"
	}
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", disposition+"; filename*=UTF-8''"+encodeName(f.GetName()))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "private, max-age=31536000, immutable")
	h.Set("Accept-Ranges", "none")
	h.Set("ETag", tag(f))
}

// encodeName writes a name as a value of RFC 8187, section 3.2: letters, digits and a few marks as they are, and
// the bytes of everything else in hexadecimal digits.
func encodeName(name string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(name) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("!#$&+-.^_`|~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteString(string([]byte{'%', digits[c>>4], digits[c&15]}))
	}
	return b.String()
}
