package edge

import (
	"example.com/hub/services/edge/internal/catchup"
	"example.com/hub/services/edge/internal/life"
	"example.com/hub/services/edge/internal/ring"
	"example.com/hub/services/edge/internal/socket"
	"example.com/hub/services/edge/internal/stream"
)

func newStreams(d Deps) (*catchup.Feed, *stream.Broker, error) {
	var log catchup.Log
	var inbox stream.Inbox
	if d.EventLog != nil {
		client := catchup.NewClient(d.EventLog)
		log, inbox = client, client
	}
	feed, err := catchup.New(catchup.Deps{
		Bus:    d.Events,
		Log:    log,
		Recent: d.Config.ResumeWindow + ring.Overlap,
		Logger: d.Logger,
	})
	if err != nil {
		return nil, nil, err
	}
	var sessions life.Sessions
	if d.Sessions != nil {
		sessions = d.Sessions
	}
	broker, err := stream.New(stream.Deps{
		Events:          feed,
		Sessions:        sessions,
		Inbox:           inbox,
		Claims:          d.Claims,
		Heartbeat:       d.Config.Heartbeat,
		MaxStreams:      d.Config.MaxStreams,
		MaxReplacements: d.Config.MaxReplaced,
		DrainSpread:     d.Config.DrainSpread,
		ResumeWindow:    d.Config.ResumeWindow,
		ResumeMemory:    d.Config.ResumeMemory,
		CloseAtExpiry:   d.Config.CloseAtExpiry,
		Logger:          d.Logger,
		Clock:           d.Clock,
	})
	return feed, broker, err
}

// Streams tells how many streams are open and what became of others.
func (e *Edge) Streams() stream.Stats { return e.broker.Stats() }

// Sockets tells how many sockets are open and what became of others.
func (e *Edge) Sockets() socket.Stats { return e.sockets.Stats() }

// Events tells what became of the bus's events.
func (e *Edge) Events() catchup.Stats { return e.feed.Stats() }
