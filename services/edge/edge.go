// Package edge is Hub's front for everything that is not native gRPC: the contract's REST interface,
// its event streams and, where Hub issues its own tokens, the token endpoint.
//
// An edge keeps nothing that must survive it. It calls the hubs through clients that it is given and
// hears events from a bus, so that it does not know whether these are in other processes.
package edge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"
	"google.golang.org/grpc"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/log"
	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/tracing"
	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
	"example.com/hub/services/edge/internal/catchup"
	"example.com/hub/services/edge/internal/eventcenter"
	"example.com/hub/services/edge/internal/portal"
	"example.com/hub/services/edge/internal/reference"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/rest/app"
	"example.com/hub/services/edge/internal/rest/content"
	"example.com/hub/services/edge/internal/rest/counts"
	"example.com/hub/services/edge/internal/rest/directory"
	"example.com/hub/services/edge/internal/rest/file"
	"example.com/hub/services/edge/internal/rest/message"
	"example.com/hub/services/edge/internal/rest/todo"
	"example.com/hub/services/edge/internal/sealed"
	"example.com/hub/services/edge/internal/session"
	"example.com/hub/services/edge/internal/socket"
	"example.com/hub/services/edge/internal/stream"
	"example.com/hub/services/edge/internal/ticket"
)

// Deps is what an Edge is made of.
type Deps struct {
	// Config must be valid.
	Config Config
	// Todo is a connection to todohub. Required.
	Todo grpc.ClientConnInterface
	// Messages is a connection to messagehub. Required.
	Messages grpc.ClientConnInterface
	// Portal is a connection to portalhub. Without it sessions are in the memory of this edge, and whatever needs
	// it is an unknown path.
	Portal grpc.ClientConnInterface
	// Events is heard from New until Shutdown. Required.
	Events bus.Subscriber
	// EventLog makes up for events that were not heard, and tells the newest records of clients that
	// come back too late; its calls carry the internal key. Both are left out when it is nil.
	EventLog eventv1.EventServiceClient
	// Claims keeps one stream per user across replicas; nil when there is one replica.
	Claims Claims
	// InternalKey is sent with the calls for users, and with those for their counts; empty where the hubs know an edge by its certificate.
	InternalKey string
	// Users says that there are users, so that no client may have a name like theirs. OpenTokens sets it where
	// the settings let users log in, and OpenSessions in any case.
	Users bool
	// Verifier checks the tokens of all calls. Required.
	Verifier auth.Verifier
	// Issuer is Hub's own issuer. It is nil when another issuer's tokens are accepted; its documents
	// are then unknown paths.
	Issuer Issuer
	// Forwarder answers the token path when Issuer is nil. Without both the path is unknown.
	Forwarder Tokens
	// Sessions are those of users who log in, and Keys seal what their browsers keep; nil where nobody does.
	// OpenSessions sets both.
	Sessions *session.Sessions
	Keys     *sealed.Keys
	// clients is the Verifier that OpenTokens has set; bearer is one of users, too, and pages are theirs,
	// where OpenUsers has let them in.
	clients *token.Verifier
	bearer  auth.Verifier
	pages   []rest.Area
	// signing are the keys of Hub's own issuer, and audiences those of all tokens that Hub accepts. ask leads to
	// the login. tickets makes those of jumps, where OpenTickets has set it.
	signing   func() []jose.JSONWebKey
	audiences []string
	ask       http.HandlerFunc
	tickets   *ticket.Issuer
	// publicURL is the address of Hub, where OpenTokens was told one.
	publicURL string
	// Hosts are the only ones by which the edge may be called, without ports; nil is any.
	Hosts []string
	// Limiter counts the opening of streams against their client's limit of reads. It is nil when there
	// is no limit, and that of the hubs when these are in the same process.
	Limiter *ratelimit.Limiter
	// Metrics get those of the edge. It is one that nobody reads when nil.
	Metrics *telemetry.Registry
	// Tracer traces the requests, and the clients should hand its traces on; nil traces none.
	Tracer *tracing.Tracer
	// Logger is slog.Default() when nil.
	Logger *slog.Logger
	// Access is the share of the successful requests whose line has the level info, not debug.
	Access log.Sample
	// Clock is time.Now when nil.
	Clock func() time.Time
}

// CallHubs makes all hubs be called by one connection.
func (d *Deps) CallHubs(all grpc.ClientConnInterface) { d.Todo, d.Messages, d.Portal = all, all, all }

func (d *Deps) complete() error {
	if d.Todo == nil || d.Messages == nil || d.Events == nil || d.Verifier == nil {
		return errors.New("edge: a required dependency is missing")
	}
	if d.Metrics == nil {
		d.Metrics = telemetry.New()
	}
	d.Logger = cmp.Or(d.Logger, slog.Default())
	if d.Clock == nil {
		d.Clock = time.Now
	}
	return nil
}

// tokenPaths gives who answers the token path and the issuer's documents, or nil.
func (d *Deps) tokenPaths() (rest.Tokens, rest.Documents) {
	if d.Issuer == nil {
		return d.Forwarder, nil
	}
	return d.Issuer, d.Issuer
}

// Claims keeps one stream per user across replicas.
type Claims = stream.Claims

// Edge is one edge replica. It serves from New on, and needs Run for what takes time.
type Edge struct {
	handler  http.Handler
	draining atomic.Bool
	feed     *catchup.Feed
	broker   *stream.Broker
	sockets  *socket.Broker
	center   *eventcenter.Center // nil without
	spread   time.Duration
}

// New makes an edge.
func New(d Deps) (*Edge, error) {
	if err := d.complete(); err != nil {
		return nil, err
	}
	if err := d.Config.Validate(); err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(d.Config.TimeZone)
	if err != nil {
		return nil, fmt.Errorf("load HUB_TIME_ZONE: %w", err)
	}
	proxies, err := d.Config.proxies()
	if err != nil {
		return nil, err
	}
	feed, broker, err := newStreams(d)
	if err != nil {
		return nil, err
	}
	userIDs, err := d.userIDs()
	if err != nil {
		return nil, err
	}
	sockets, err := newSockets(d, feed)
	if err != nil {
		return nil, errors.Join(err, broker.Shutdown(context.Background()))
	}
	e := &Edge{feed: feed, broker: broker, sockets: sockets, spread: d.Config.DrainSpread}
	areas := d.areas()
	if e.center, err = d.eventCenter(proxies); err != nil {
		return nil, errors.Join(err, e.Shutdown(context.Background()))
	}
	if e.center != nil {
		areas = append(areas, e.center.Area())
	}
	tokens, documents := d.tokenPaths()
	handler, err := rest.New(rest.Deps{
		Areas:          areas,
		Streams:        broker,
		Sockets:        sockets,
		Authenticator:  d.authenticator(),
		AllowedOrigins: d.Config.Browser.AllowedOrigins,
		Tokens:         tokens,
		Documents:      documents,
		Limiter:        d.Limiter,
		Metrics:        d.Metrics,
		Tracer:         d.Tracer,
		Logger:         d.Logger,
		Access:         d.Access,
		RemoteAddr:     proxies.Caller,
		Hosts:          d.Hosts,
		Users:          d.Users,
		Directory:      userIDs,
		Groups:         d.groups(),
		Zone:           zone,
		MaskErrors:     d.Config.ErrorStatus == http.StatusOK,
		MaxBody:        d.Config.MaxBody,
		MaxBodyMemory:  d.Config.MaxBodyMemory,
		MaxPageSize:    int(d.Config.MaxPageSize),
		MaxListMemory:  d.Config.MaxListMemory,
		CallTimeout:    d.Config.CallTimeout,
		BodyTimeout:    d.Config.BodyTimeout,
		AnswerTimeout:  d.Config.AnswerTimeout,
	})
	e.handler = handler
	if err != nil {
		return nil, errors.Join(err, e.Shutdown(context.Background()))
	}
	e.measure(d.Metrics)
	return e, nil
}

// areas are what is served. What needs to know people is unknown without portalhub.
func (d *Deps) areas() []rest.Area {
	todos, messages := forUsers{d.Todo, d.InternalKey}, forUsers{d.Messages, d.InternalKey}
	areas := []rest.Area{todo.Area(todos), message.Area(messages), counts.Area(todos, messages)}
	if d.Portal != nil {
		people := forUsers{d.Portal, d.InternalKey}
		areas = append(areas, todo.Admin(todos), message.Admin(messages), portal.API(), directory.Area(people), content.Area(people), app.Area(app.Deps{
			Hub: people, Tickets: d.tickets, Audiences: d.audiences, Ask: d.ask,
		}), file.Area(file.Deps{Config: d.Config.Files, Hub: people, Patience: d.Config.CallTimeout}))
	}
	// A browser that asks for / is sent to the first home.
	return append(append(areas, d.pages...), reference.Area())
}

// Handler serves all of the edge's paths. Streams and sockets need HTTP/1.1: they take their connection
// over.
func (e *Edge) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if e.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		e.handler.ServeHTTP(w, r)
	})
}

// Drain makes every answer from now on the last one of its connection. A caller that keeps its
// connection would otherwise send a request just when the listener closes, and could not know whether
// it was served.
func (e *Edge) Drain() { e.draining.Store(true) }

// Run sends heartbeats to the streams and sockets, makes up for events that were not heard, and settles with the
// other replicas who has a user's stream. It ends with ctx, which should come after Shutdown, so that
// the streams that are left lack nothing during a drain.
func (e *Edge) Run(ctx context.Context) error {
	return together(ctx, e.feed.Run, e.broker.Run, e.sockets.Run)
}

// Shutdown closes the streams and sockets over HUB_DRAIN_SPREAD, or all that are left when ctx ends, cuts what
// the event center streams, and stops hearing events. Other calls are still answered; ending them is the server's part.
func (e *Edge) Shutdown(ctx context.Context) error {
	return together(ctx, e.broker.Shutdown, e.sockets.Shutdown, e.shutdownEventCenter)
}

// together does all parts at once.
func together(ctx context.Context, parts ...func(context.Context) error) error {
	var all sync.WaitGroup
	faults := make([]error, len(parts))
	for i, part := range parts {
		all.Go(func() { faults[i] = part(ctx) })
	}
	all.Wait()
	return errors.Join(faults...)
}
