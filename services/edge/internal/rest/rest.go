// Package rest is the frame of Hub's REST interface: HTTP statuses, the bearer token, the limits, and the
// rules of bodies and queries. What it serves comes from areas, a package each, which list their endpoints
// as data. Package shape has the JSON of records, and package front what another front would need too.
//
// grpc-gateway routes requests and makes the calls; decoding, queries, answers and errors are this
// package's own. Values are checked in the hubs, since native gRPC callers do not pass here; this
// package checks only what a gRPC message cannot express: JSON, types and the form of a query.
package rest

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"github.com/grpc-ecosystem/grpc-gateway/v2/utilities"
	"github.com/rs/cors"
	"golang.org/x/sync/semaphore"
	"google.golang.org/protobuf/proto"

	"example.com/hub/pkg/log"
	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/requestid"
	"example.com/hub/pkg/telemetry/tracing"
	"example.com/hub/services/edge/internal/front"
	"example.com/hub/services/edge/internal/topic"
)

// Streams serves event streams.
type Streams interface {
	// Serve answers a request for the stream of a user with some topics, whose name is valid and whose
	// caller may read it. An error means that it has answered nothing.
	Serve(w http.ResponseWriter, r *http.Request, user string, topics topic.Set) error
}

// Sockets serves WebSockets.
type Sockets interface {
	// Serve answers a handshake for a socket of a user with some topics, whose name is valid and whose caller
	// may listen to her. When it gives a failure, it has answered nothing.
	Serve(w http.ResponseWriter, r *http.Request, user string, topics topic.Set) *front.Failure
}

// Tokens answers the token endpoint, in the words of RFC 6749 and not in the envelope.
type Tokens interface {
	// ServeToken answers POST /api/login/oauth/token.
	ServeToken(w http.ResponseWriter, r *http.Request)
}

// Documents answers what a token issuer publishes, in the words of RFC 7517 and RFC 8414.
type Documents interface {
	// ServeKeys answers GET /.well-known/jwks.json.
	ServeKeys(w http.ResponseWriter, r *http.Request)
	// ServeDiscovery answers the two discovery documents.
	ServeDiscovery(w http.ResponseWriter, r *http.Request)
}

// Deps is what the front needs; only Tokens and Documents may be missing.
type Deps struct {
	// Areas have the endpoints, but for those that every front has.
	Areas   []Area
	Streams Streams
	Sockets Sockets
	// Authenticator tells who makes a request; Bearer is one, and Cookies.
	Authenticator Authenticator
	// AllowedOrigins are those whose pages may call what users may call, with a bearer token.
	AllowedOrigins []string
	// Tokens is nil where clients get tokens elsewhere only; its path is then unknown.
	Tokens Tokens
	// Documents is nil where another issuer's tokens are accepted; its paths are then unknown.
	Documents Documents
	// Limiter counts the opening of streams and sockets; the hubs count the calls. Nil has no limit.
	Limiter *ratelimit.Limiter
	Metrics *telemetry.Registry
	// Tracer traces the requests; nil traces none.
	Tracer *tracing.Tracer
	Logger *slog.Logger
	// Access is the share of the successful requests whose line has the level info, not debug.
	Access log.Sample
	// RemoteAddr gives the address of whoever sent a request, for the log; nil means that of the
	// connection.
	RemoteAddr func(*http.Request) string

	// Hosts are the only ones by which the front may be called, without ports; nil is any.
	Hosts []string
	// Users says that there are users, whose changes show their names.
	Users bool
	// Directory knows the ids of users; nil means that an id is a username.
	Directory Directory
	// Groups know who is in a department or a role; without them such a filter is refused.
	Groups Groups
	// Zone is the time zone of createTime and modifyTime.
	Zone *time.Location
	// MaskErrors answers every failure but 401 and 403 with status 200.
	MaskErrors bool
	// MaxBody is the largest request body in bytes.
	MaxBody int64
	// MaxBodyMemory bounds the memory of all request bodies that are under way, in bytes; at least
	// front.BodyWeight times MaxBody. A body that waits for longer than CallTimeout is refused.
	MaxBodyMemory int64
	// MaxPageSize is the largest page that the hubs answer.
	MaxPageSize int
	// MaxListMemory bounds the memory of all list answers that are under way, in bytes; at least
	// MaxPageSize times the largest MaxRecord of an endpoint.
	MaxListMemory int64
	// CallTimeout bounds a call to a hub, but for what its endpoint gives it more.
	CallTimeout time.Duration
	// BodyTimeout bounds the reading of a request body.
	BodyTimeout time.Duration
	// AnswerTimeout bounds a request from its header to the last byte of its answer, streams
	// excepted.
	AnswerTimeout time.Duration
}

// Handler serves REST.
type Handler struct {
	mux *runtime.ServeMux
	// handlers is how many handlers the mux has.
	handlers int
	routes   []route
	// below are the routes that serve all below their path; index has the others.
	below []*route
	index index
	// unknown stands for whatever is no route.
	unknown route
	// home is where browsers that ask for / are sent; empty is nowhere.
	home string

	authenticator Authenticator
	cors          *cors.Cors // nil where no origin is allowed
	streams       Streams
	sockets       Sockets
	limiter       *ratelimit.Limiter
	tracer        *tracing.Tracer
	logger        *slog.Logger
	access        log.Sample
	remote        func(*http.Request) string
	hosts         []string
	users         bool
	zone          *time.Location
	maskErrors    bool
	bodies        front.Bodies
	callTimeout   time.Duration
	bodyTimeout   time.Duration
	answerTimeout time.Duration
}

// dropQueryParser takes grpc-gateway's query parser out of the process once, where it is a package
// variable: Request reads the query.
var dropQueryParser = sync.OnceFunc(func() {
	runtime.NewServeMux(runtime.SetQueryParameterParser(noParser{}))
})

type noParser struct{}

// Parse implements runtime.QueryParameterParser.
func (noParser) Parse(proto.Message, url.Values, *utilities.DoubleArray) error { return nil }

// New makes the front.
func New(d Deps) (*Handler, error) {
	dropQueryParser()
	h := &Handler{
		authenticator: d.Authenticator,
		cors:          newCORS(d.AllowedOrigins),
		streams:       d.Streams,
		sockets:       d.Sockets,
		limiter:       d.Limiter,
		tracer:        d.Tracer,
		logger:        d.Logger,
		access:        d.Access,
		remote:        d.RemoteAddr,
		hosts:         d.Hosts,
		users:         d.Users,
		zone:          d.Zone,
		maskErrors:    d.MaskErrors,
		bodies:        front.Bodies{Max: d.MaxBody, Memory: front.NewBudget(d.MaxBodyMemory), Patience: d.CallTimeout, Logger: d.Logger},
		callTimeout:   d.CallTimeout,
		bodyTimeout:   d.BodyTimeout,
		answerTimeout: d.AnswerTimeout,
	}
	if h.remote == nil {
		h.remote = func(r *http.Request) string { return r.RemoteAddr }
	}
	h.mux = h.newMux()
	limits := &limits{
		timeout:     d.CallTimeout,
		maxPageSize: int64(d.MaxPageSize),
		lists:       front.NewBudget(d.MaxListMemory),
		decoding:    semaphore.NewWeighted(d.MaxBody),
		directory:   d.Directory,
		groups:      d.Groups,
	}
	if err := h.register(append(slices.Clip(d.Areas), Area{Endpoints: h.ownEndpoints(d.Tokens, d.Documents)}), limits); err != nil {
		return nil, err
	}
	h.measure(d.Metrics)
	return h, nil
}

func (h *Handler) newMux() *runtime.ServeMux {
	nothing := func(string) (string, bool) { return "", false }
	return runtime.NewServeMux(
		runtime.WithMarshalerOption(runtime.MIMEWildcard, codec{}),
		runtime.WithForwardResponseRewriter(h.rewrite),
		runtime.WithForwardResponseOption(passLimit),
		runtime.WithErrorHandler(h.callFailed),
		runtime.WithRoutingErrorHandler(h.notRouted),
		runtime.WithIncomingHeaderMatcher(nothing),
		runtime.WithOutgoingHeaderMatcher(nothing),
		runtime.WithOutgoingTrailerMatcher(nothing),
		runtime.WithMiddlewares(h.note, h.authenticate, h.transcode),
		// Ids may hold any character. With RawPath always set (see ServeHTTP) this mode decodes a
		// path segment exactly once; the others decode twice or cut at an encoded slash.
		runtime.WithUnescapingMode(runtime.UnescapingModeAllExceptSlash),
		runtime.WithDisablePathLengthFallback(),
		runtime.WithDisableHTTPMethodOverride(),
		runtime.WithWriteContentLength(),
	)
}

// nosniff and noStore are values of the headers that every answer has. Who wants others sets them anew.
var nosniff, noStore = []string{"nosniff"}, []string{"no-store"}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	x := &exchange{Exchange: front.Exchange{ResponseWriter: w, Socket: front.Socket(r.Context())}, route: &h.unknown}
	id, _ := requestid.Take(r.Header[requestid.Header])
	ctx, span := h.tracer.Request(requestid.With(r.Context(), id), r.Header)
	ctx = context.WithValue(ctx, exchangeKey{}, x)
	defer x.free()
	defer h.finish(ctx, r, x, span, start)
	defer h.rescue(ctx, x)

	header := w.Header()
	header[requestid.Header] = []string{id}
	header["X-Content-Type-Options"] = nosniff
	header["Cache-Control"] = noStore
	front.SetWriteDeadline(w, start.Add(h.answerTimeout))
	if r.ContentLength != 0 {
		// It stays for a body that nobody reads: net/http reads on after the answer, to use the
		// connection again.
		front.SetReadDeadline(w, start.Add(h.bodyTimeout))
	}

	if !h.calledByName(r) {
		h.fail(x, wrongHost)
		return
	}
	if h.shareOrigins(x, r) {
		return
	}
	// The copy keeps the caller's request as it was.
	r = r.WithContext(ctx)
	target := *r.URL
	target.RawPath = target.EscapedPath()
	r.URL = &target
	if found := h.routeBelow(target.RawPath); found != nil {
		h.serveBelow(x, r, found)
		return
	}
	h.serve(x, r)
}

// rescue turns a panic into a 500, or cuts the connection when the answer has begun.
func (h *Handler) rescue(ctx context.Context, x *exchange) {
	v := recover()
	if v == nil {
		return
	}
	if v == any(http.ErrAbortHandler) {
		// Whoever cuts an answer that has begun says why.
		x.Status = cmp.Or(x.Status, http.StatusInternalServerError)
		panic(v)
	}
	x.Status = http.StatusInternalServerError
	h.logger.ErrorContext(ctx, "handler panicked",
		"route", x.route.name, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
	if x.Answered {
		panic(http.ErrAbortHandler)
	}
	h.fail(x, front.InternalError)
}
