// Package eventcenter forwards what is below /event-center to the event center, another system: in the name of
// the client that calls, without her token, and back without what only Hub may tell a browser.
//
// It streams both ways and keeps nothing. An answer that does not come whole is cut, so that nobody takes a
// part for all of it.
package eventcenter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/reload"
	"example.com/hub/pkg/telemetry/requestid"
	"example.com/hub/pkg/telemetry/tracing"
	"example.com/hub/services/edge/internal/front"
	"example.com/hub/services/edge/internal/rest"
)

// Path is the path below which everything is forwarded, and which is so itself.
const Path = "/event-center"

// maxOpen is how many requests are forwarded at once.
const maxOpen = 256

var tooMany = front.Failure{Status: http.StatusServiceUnavailable, Msg: "too many calls to the event center are under way, try again later"}

// Deps are what a Center is made of.
type Deps struct {
	// Config must be valid, with a URL.
	Config Config
	// PublicURL is the address by which callers reach Hub, which the event center is told. Without it that is
	// the host that each caller names.
	PublicURL string
	// Limiter takes a unit of the client's for each request; nil has no limits.
	Limiter *ratelimit.Limiter
	// RemoteAddr gives the address of whoever sent a request. Required.
	RemoteAddr func(*http.Request) string
	// Tracer traces the requests to the event center; nil traces none, and hands on what callers say.
	Tracer *tracing.Tracer
	// MaskErrors answers every failure of Hub's own but 401 and 403 with status 200.
	MaskErrors bool
	// Dial connects to the event center; nil is a net.Dialer's.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Logger gets the cause of each failure. Required.
	Logger *slog.Logger
}

// Center forwards. Shutdown ends it.
type Center struct {
	deps     Deps
	base     *url.URL
	public   *url.URL // nil without
	token    *reload.Value[string]
	proxy    *httputil.ReverseProxy
	silence  time.Duration
	counts   [results]atomic.Uint64
	draining atomic.Bool

	mu   sync.Mutex
	open map[*exchange]struct{}
}

// New makes a Center. The error names the setting.
func New(d Deps) (*Center, error) {
	base, err := parseBase(d.Config.URL)
	if err != nil {
		return nil, err
	}
	base.Path = strings.TrimRight(base.Path, "/")
	c := &Center{deps: d, base: base, silence: maxSilence, open: map[*exchange]struct{}{}}
	if d.PublicURL != "" {
		if c.public, err = url.Parse(d.PublicURL); err != nil {
			return nil, fmt.Errorf("HUB_PUBLIC_URL: %w", err)
		}
	}
	c.token, err = reload.Open(reload.Deps[string]{
		Files: []reload.File{{Setting: "HUB_EVENT_CENTER_TOKEN_FILE", Path: d.Config.TokenFile}},
		Parse: parseToken, Logger: d.Logger,
	})
	if err != nil {
		return nil, err
	}
	c.proxy = &httputil.ReverseProxy{
		Rewrite:       func(p *httputil.ProxyRequest) { exchangeOf(p.In.Context()).rewrite(p) },
		Transport:     newTransport(d.Dial),
		FlushInterval: -1, // at once
		BufferPool:    &buffers,
		ModifyResponse: func(r *http.Response) error {
			if r.StatusCode == http.StatusSwitchingProtocols {
				return errors.New("the event center switches protocols, which nobody asked for")
			}
			exchangeOf(r.Request.Context()).came(r)
			cleanAnswer(r.Header)
			return nil
		},
		ErrorHandler: func(_ http.ResponseWriter, r *http.Request, err error) { exchangeOf(r.Context()).fail(err) },
		ErrorLog:     slog.NewLogLogger(d.Logger.Handler(), slog.LevelDebug),
	}
	return c, nil
}

// parseToken reads the bearer token (RFC 6750, section 2.1). Its error does not quote it.
func parseToken(content [][]byte) (string, error) {
	if content[0] == nil {
		return "", nil
	}
	token := strings.TrimSpace(string(content[0]))
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("HUB_EVENT_CENTER_TOKEN_FILE: the file must hold one token, without blanks and control characters")
	}
	return token, nil
}

// Area has what is forwarded.
func (c *Center) Area() rest.Area {
	return rest.Area{Endpoints: []rest.Endpoint{{
		Method: rest.AnyMethod, Path: Path + rest.Below, Rule: auth.Rule{Scope: auth.ScopeClient}, Serve: c.serve,
	}}}
}

// serve forwards a request of a client.
func (c *Center) serve(w http.ResponseWriter, r *http.Request) {
	p, _ := auth.From(r.Context())
	target, err := c.target(r)
	if err != nil {
		front.Fail(w, front.BadRequest(err.Error()), c.deps.MaskErrors)
		return
	}
	if !c.take(w, r, p.Client) {
		front.Fail(w, front.TooMany, c.deps.MaskErrors)
		return
	}
	if r.ContentLength > c.deps.Config.MaxBody {
		front.Fail(w, c.tooLarge(), c.deps.MaskErrors)
		return
	}
	x := c.begin(w, r, p.Client, target)
	if x == nil {
		front.Fail(w, tooMany, c.deps.MaskErrors)
		return
	}
	defer x.end()
	c.proxy.ServeHTTP(x, x.in)
	x.finish()
}

// target is where a request goes: its path and query as they came.
func (c *Center) target(r *http.Request) (*url.URL, error) {
	escaped := r.URL.EscapedPath()
	// An URL that has characters which no URL may have is written anew, and its escapes may be lost.
	if came, _, _ := strings.Cut(r.RequestURI, "?"); !strings.HasSuffix(came, escaped) {
		return nil, errors.New("the path has characters that must be percent-encoded")
	}
	rest := strings.TrimPrefix(escaped, Path)
	if err := checkPath(rest); err != nil {
		return nil, err
	}
	target := *c.base
	target.Path += strings.TrimPrefix(r.URL.Path, Path)
	target.RawPath = c.base.EscapedPath() + rest
	target.RawQuery, target.ForceQuery = r.URL.RawQuery, r.URL.ForceQuery
	return &target, nil
}

// take takes a request out of its client's limit. It is false for a client over it, and says how long to wait.
func (c *Center) take(w http.ResponseWriter, r *http.Request, client string) bool {
	area := ratelimit.Writes
	if safe(r.Method) {
		area = ratelimit.Reads
	}
	taken := c.deps.Limiter.Take(r.Context(), client, area, 1)
	if taken.Limit.Rate == 0 {
		return true
	}
	w.Header().Set(ratelimit.PolicyHeader, taken.Policy())
	w.Header().Set(ratelimit.StateHeader, taken.State())
	if !taken.Granted {
		w.Header().Set("Retry-After", strconv.FormatInt(ratelimit.Seconds(taken.RetryAfter), 10))
	}
	return taken.Granted
}

// safe tells whether a method only reads.
func safe(method string) bool { return method == http.MethodGet || method == http.MethodHead }

func (c *Center) tooLarge() front.Failure {
	return front.Failure{
		Status: http.StatusRequestEntityTooLarge,
		Msg:    fmt.Sprintf("the request body must be at most %d bytes", c.deps.Config.MaxBody),
	}
}

// rewrite makes the request for the event center.
func (x *exchange) rewrite(p *httputil.ProxyRequest) {
	c, out := x.center, p.Out
	out.URL, out.Host, out.Trailer = x.target, "", nil
	cleanRequest(out.Header, p.In.Header["Connection"])
	set := func(name, value string) { out.Header[name] = []string{value} }
	set("Hub-Client-Id", x.client)
	set(requestid.Header, requestid.From(p.In.Context()))
	set("X-Forwarded-For", c.deps.RemoteAddr(p.In))
	host, scheme := p.In.Host, "http"
	if p.In.TLS != nil {
		scheme = "https"
	}
	if c.public != nil {
		host, scheme = c.public.Host, c.public.Scheme
	}
	set("X-Forwarded-Host", host)
	set("X-Forwarded-Proto", scheme)
	if token := c.token.Current(); token != "" {
		set("Authorization", "Bearer "+token)
	}
	x.span = c.deps.Tracer.Ask(p.In.Context(), out.Method, out.Header)
}
