package sse

import (
	"bytes"
	"net/http"
	"time"
)

// Head gives the status line and the header of a stream's answer, which are those of h and the stream's
// own. The type needs no charset: event streams are UTF-8 (WHATWG HTML, section 9.2.5).
func Head(h http.Header, now time.Time, format Format) []byte {
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("Connection", "close") // without it a client might send its next request while Hub closes it
	h.Set("Date", now.UTC().Format(http.TimeFormat))
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Del("Content-Length")
	h.Del("Transfer-Encoding")
	if format == Chunked {
		h.Set("Transfer-Encoding", "chunked")
	}
	var buf bytes.Buffer
	buf.WriteString("HTTP/1.1 200 OK\r\n")
	_ = h.Write(&buf) // a buffer takes everything
	buf.WriteString("\r\n")
	return buf.Bytes()
}
