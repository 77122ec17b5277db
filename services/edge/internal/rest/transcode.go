package rest

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"unicode/utf8"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc/metadata"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/telemetry/requestid"
	"example.com/hub/services/edge/internal/front"
)

// transcode prepares a request for the generated handlers: its path and query are decoded, its body
// is read under the limits, and of its headers only the token and the request's id are passed on.
func (h *Handler) transcode(next runtime.HandlerFunc) runtime.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request, params map[string]string) {
		x := exchangeOf(r.Context())
		if x.route.bare() {
			next(w, r, params)
			return
		}
		for _, value := range params {
			if !utf8.ValidString(value) {
				h.fail(w, front.BadRequest("the path is not valid UTF-8"))
				return
			}
		}
		values, err := parseQuery(r)
		if err != nil {
			h.fail(w, front.BadRequest(err.Error()))
			return
		}
		x.buffers = newBuffers()
		if r.Method == http.MethodPost || r.Method == http.MethodPut {
			if f := h.bodies.Read(&x.Exchange, r, &x.buffers.body, &x.body); f != nil {
				h.fail(w, *f)
				return
			}
		}
		x.buffers.request.principal, _ = auth.From(r.Context())
		x.buffers.request.query, x.buffers.request.navigates = values, navigates(r)
		if x.route.Join == nil {
			r = forward(r, x)
		}
		next(w, r, params)
	}
}

// noForm is of requests whose query is not parsed again.
var noForm = url.Values{}

// forward makes the request that the generated handler sees, whose context has the metadata of the call. Nothing
// else of the request is in it, which keeps a client from speaking to the hub behind the edge's back: grpc-gateway
// would pass on Grpc-Metadata-*, X-Forwarded-* and -Bin headers, and take the deadline of the call from
// Grpc-Timeout. calls reads the query and the body.
func forward(r *http.Request, x *exchange) *http.Request {
	// The hub refuses more than one token, as authenticate does, which looks at none where anyone may call. The id
	// is the one that ServeHTTP took or made.
	out := r.WithContext(metadata.NewOutgoingContext(r.Context(), metadata.MD{
		"authorization": r.Header["Authorization"], requestid.Key: x.Header()[requestid.Header],
	}))
	out.Header = nil
	out.Host = ""
	out.RemoteAddr = ""
	out.Form, out.PostForm = noForm, noForm
	out.Body = http.NoBody
	return out
}

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

// codec is the marshaler that grpc-gateway uses: calls reads the body, and answers come out of rewrite
// encoded already.
type codec struct{}

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
func (codec) Unmarshal([]byte, any) error { return nil }

// NewDecoder implements runtime.Marshaler.
func (codec) NewDecoder(io.Reader) runtime.Decoder {
	return runtime.DecoderFunc(func(any) error { return nil })
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
func (codec) ContentType(any) string { return front.ContentType }
