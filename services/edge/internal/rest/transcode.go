package rest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"

	"example.com/hub/pkg/telemetry/requestid"
)

// transcode prepares a request for the generated handlers: its path and query are decoded, its body
// is read under the limits, and of its headers only the token and the request's id are left.
//
// That last step is what keeps a client from speaking to the hub behind the edge's back: grpc-gateway
// would pass on Grpc-Metadata-*, X-Forwarded-* and -Bin headers, and take the deadline of the call
// from Grpc-Timeout.
func (h *Handler) transcode(next runtime.HandlerFunc) runtime.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request, params map[string]string) {
		x := exchangeOf(r.Context())
		if x.route.serve != nil {
			next(w, r, params)
			return
		}
		for _, value := range params {
			if !utf8.ValidString(value) {
				h.fail(w, badRequest("the path is not valid UTF-8"))
				return
			}
		}
		values, err := parseQuery(r)
		if err != nil {
			h.fail(w, badRequest(err.Error()))
			return
		}
		x.buffers = newBuffers()
		if r.Method == http.MethodPost {
			if f := h.readBody(x, r); f != nil {
				h.fail(w, *f)
				return
			}
		}
		next(w, forward(r, x, values), params)
	}
}

// forward makes the request that the generated handler sees. The form is set, so that it parses
// neither the query nor the body again.
func forward(r *http.Request, x *exchange, values url.Values) *http.Request {
	out := r.WithContext(r.Context())
	// authenticate has seen that there is exactly one token, and the id is the one that ServeHTTP took
	// or made.
	out.Header = http.Header{"Authorization": r.Header["Authorization"], requestid.Header: x.Header()[requestid.Header]}
	out.Host = ""
	out.RemoteAddr = ""
	out.Form = values
	out.PostForm = url.Values{}
	out.Body = payload{&x.buffers.body}
	return out
}

// payload is a request body that was read already.
type payload struct{ *bytes.Buffer }

// Close implements io.Closer.
func (payload) Close() error { return nil }

// all consumes the whole body; it is valid until the answer is written.
func (p payload) all() []byte { return p.Next(p.Len()) }

// errQuery does not say which part is wrong: the part is the client's own text.
var errQuery = errors.New("the query string is not valid")

// parseQuery decodes the whole query, so that a fault in a parameter that nobody knows counts too.
func parseQuery(r *http.Request) (url.Values, error) {
	all, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, errQuery
	}
	broken := func(text string) bool { return !utf8.ValidString(text) }
	for name, values := range all {
		if broken(name) || slices.ContainsFunc(values, broken) {
			return nil, errQuery
		}
	}
	return all, nil
}

// readBody reads the request body into the exchange; nil means that it is there. An empty body needs
// no content type.
func (h *Handler) readBody(x *exchange, r *http.Request) *failure {
	tooLarge := &failure{
		http.StatusRequestEntityTooLarge,
		fmt.Sprintf("the request body must be at most %d bytes", h.maxBody),
	}
	if r.ContentLength > h.maxBody {
		return tooLarge
	}
	if r.ContentLength > 0 && !isJSON(r.Header) {
		return &notJSON
	}
	// A client may announce much and send nothing, so that a large body is not provided for at once.
	body := &x.buffers.body
	body.Grow(int(min(max(r.ContentLength, 0), maxKept)) + bytes.MinRead)
	_, err := body.ReadFrom(http.MaxBytesReader(x.ResponseWriter, r.Body, h.maxBody))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return tooLarge
	case err != nil:
		x.Header().Set("Connection", "close")
		return &failure{http.StatusBadRequest, "the request body did not arrive"}
	case r.ContentLength < 0 && body.Len() > 0 && !isJSON(r.Header):
		return &notJSON
	}
	// net/http now waits for the connection to break, which a deadline that passes would look like.
	setReadDeadline(x, noDeadline)
	return nil
}

// isJSON tells whether the headers describe a plain JSON body. No content type counts as JSON.
func isJSON(header http.Header) bool {
	for _, coding := range header.Values("Content-Encoding") {
		if !strings.EqualFold(coding, "identity") {
			return false
		}
	}
	for _, value := range header.Values("Content-Type") {
		media, _, err := mime.ParseMediaType(value)
		if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) || media != "application/json" {
			return false
		}
	}
	return true
}

// codec is the marshaler that grpc-gateway uses: requests are decoded by decode, and answers come
// out of rewrite encoded already.
type codec struct{}

const contentType = "application/json"

// encoded is an answer in JSON.
type encoded []byte

// Marshal implements runtime.Marshaler.
func (codec) Marshal(v any) ([]byte, error) {
	body, ok := v.(encoded)
	if !ok {
		return nil, errUnmapped(v)
	}
	return body, nil
}

// Unmarshal implements runtime.Marshaler.
func (codec) Unmarshal(data []byte, v any) error { return decode(data, v) }

// NewDecoder implements runtime.Marshaler.
func (codec) NewDecoder(r io.Reader) runtime.Decoder {
	return runtime.DecoderFunc(func(v any) error {
		body, ok := r.(payload)
		if !ok {
			return errUnmapped(r)
		}
		return decode(body.all(), v)
	})
}

// NewEncoder implements runtime.Marshaler.
func (c codec) NewEncoder(w io.Writer) runtime.Encoder {
	return runtime.EncoderFunc(func(v any) error {
		body, err := c.Marshal(v)
		if err != nil {
			return err
		}
		_, err = w.Write(body)
		return err
	})
}

// ContentType implements runtime.Marshaler.
func (codec) ContentType(any) string { return contentType }
