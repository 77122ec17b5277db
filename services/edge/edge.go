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
	"time"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/telemetry"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/stream"
)

// Deps is what an Edge is made of.
type Deps struct {
	// Config must be valid.
	Config Config
	// Todo calls todohub. Required.
	Todo todov1.TodoServiceClient
	// Messages calls messagehub. Required.
	Messages messagev1.MessageServiceClient
	// Events is heard from New until Shutdown. Required.
	Events bus.Subscriber
	// Verifier checks the tokens of all calls. Required.
	Verifier auth.Verifier
	// Issuer is Hub's own issuer. It is nil when another issuer's tokens are accepted; its documents
	// are then unknown paths.
	Issuer Issuer
	// Forwarder answers the token path when Issuer is nil. Without both the path is unknown.
	Forwarder Tokens
	// Metrics get those of the edge. It is one that nobody reads when nil.
	Metrics *telemetry.Registry
	// Logger is slog.Default() when nil.
	Logger *slog.Logger
	// Clock is time.Now when nil.
	Clock func() time.Time
}

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

// Edge is one edge replica. It serves from New on; Run adds the heartbeats.
type Edge struct {
	handler http.Handler
	broker  *stream.Broker
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
	broker, err := stream.New(stream.Deps{
		Events:      d.Events,
		Heartbeat:   d.Config.Heartbeat,
		MaxStreams:  d.Config.MaxStreams,
		DrainSpread: d.Config.DrainSpread,
		Logger:      d.Logger,
		Clock:       d.Clock,
	})
	if err != nil {
		return nil, err
	}
	tokens, documents := d.tokenPaths()
	handler, err := rest.New(rest.Deps{
		Todo:          d.Todo,
		Messages:      d.Messages,
		Streams:       broker,
		Verifier:      d.Verifier,
		Tokens:        tokens,
		Documents:     documents,
		Metrics:       d.Metrics,
		Logger:        d.Logger,
		Zone:          zone,
		MaskErrors:    d.Config.ErrorStatus == http.StatusOK,
		MaxBody:       d.Config.MaxBody,
		MaxPageSize:   d.Config.MaxPageSize,
		MaxRows:       d.Config.MaxRows,
		CallTimeout:   d.Config.CallTimeout,
		BodyTimeout:   d.Config.BodyTimeout,
		AnswerTimeout: d.Config.AnswerTimeout,
	})
	if err != nil {
		return nil, errors.Join(err, broker.Shutdown(context.Background()))
	}
	return &Edge{handler: handler, broker: broker}, nil
}

// Handler serves all of the edge's paths. Streams need HTTP/1.1: they take their connection over.
func (e *Edge) Handler() http.Handler { return e.handler }

// Run sends heartbeats to the streams until ctx ends.
func (e *Edge) Run(ctx context.Context) error { return e.broker.Run(ctx) }

// Shutdown closes the streams over HUB_DRAIN_SPREAD, or all that are left when ctx ends, and stops
// hearing events. Calls are still answered; ending them is the server's part.
func (e *Edge) Shutdown(ctx context.Context) error { return e.broker.Shutdown(ctx) }

// Streams tells how many streams are open and what became of others.
func (e *Edge) Streams() stream.Stats { return e.broker.Stats() }
