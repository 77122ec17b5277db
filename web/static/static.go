// Package static answers requests for texts that the program was built with.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// File is a text as it is and in gzip. It is packed, and hashed, when it is asked for first.
type File struct {
	mime string
	made func() content
}

// content is what is answered. plain is nil for a text that is there in gzip only.
type content struct {
	tag          string
	plain, small []byte
}

// New is for a text.
func New(mime string, text []byte) File {
	return File{mime, sync.OnceValue(func() content { return content{tagOf(text), text, pack(text)} })}
}

// Packed is for a text in gzip, which read gives. Who takes no gzip gets it unpacked each time.
func Packed(mime string, read func() []byte) File {
	return File{mime, sync.OnceValue(func() content {
		small := read()
		return content{tagOf(small), nil, small}
	})}
}

func tagOf(text []byte) string {
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// writers pack one text after the other: each has most of a MiB for itself.
var writers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestCompression) // which is a level
	return w
}}

func pack(text []byte) []byte {
	var small bytes.Buffer
	w := writers.Get().(*gzip.Writer)
	defer writers.Put(w)
	w.Reset(&small)
	_, _ = w.Write(text) // into memory
	_ = w.Close()
	return small.Bytes()
}

// ServeHTTP answers 304 to who has the text, and in gzip to who takes that. Its caller says how long a browser may
// keep it.
func (f File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := f.made()
	header := w.Header()
	header.Set("Content-Type", f.mime)
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Vary", "Accept-Encoding")
	packed := takesGzip(r)
	body, tag := c.plain, `"`+c.tag+`"`
	if packed {
		body, tag = c.small, `"`+c.tag+`.gz"`
	}
	header.Set("ETag", tag)
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if packed {
		header.Set("Content-Encoding", "gzip")
	}
	// A failed write means that the client is gone.
	if body == nil {
		if text, err := gzip.NewReader(bytes.NewReader(c.small)); err == nil {
			_, _ = io.Copy(w, text) //nolint:gosec // the program was built with it
		}
		return
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

// takesGzip tells whether a request takes answers in gzip (RFC 9110, section 12.5.3).
func takesGzip(r *http.Request) bool {
	for _, coding := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if strings.TrimSpace(name) != "gzip" {
			continue
		}
		q, given := strings.CutPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
		value, err := strconv.ParseFloat(q, 64)
		return !given || err == nil && value > 0
	}
	return false
}
