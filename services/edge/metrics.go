package edge

import (
	"example.com/hub/pkg/telemetry"
	"example.com/hub/services/edge/internal/catchup"
	"example.com/hub/services/edge/internal/socket"
	"example.com/hub/services/edge/internal/stream"
)

// measure adds the metrics of streams and sockets, and of the events that they get.
func (e *Edge) measure(r *telemetry.Registry) {
	measureStreams(r, e.Streams)
	measureSockets(r, e.Sockets)
	measureEvents(r, e.Events)
	e.center.Measure(r)
}

func measureStreams(r *telemetry.Registry, read func() stream.Stats) {
	const (
		replaced = "hub_edge_streams_replaced_total"
		replacer = "Streams that ended because their user connected again, by the edge of the new one."
		resumes  = "hub_edge_resumes_total"
		resumed  = "Clients that came back, by whether their last event was known."
	)
	telemetry.Read(
		r, read,
		telemetry.Gauge("hub_edge_streams", "Users with an open stream.",
			func(s stream.Stats) int { return s.Open }),
		telemetry.Gauge("hub_edge_streams_max", "Most users with an open stream, HUB_MAX_STREAMS.",
			func(s stream.Stats) int { return s.Max }),
		telemetry.Counter(replaced, replacer, func(s stream.Stats) uint64 { return s.Replaced }, "edge", "this"),
		telemetry.Counter(replaced, replacer, func(s stream.Stats) uint64 { return s.ReplacedElsewhere }, "edge", "other"),
		telemetry.Counter("hub_edge_streams_refused_total", "Connections over HUB_MAX_STREAMS or during a drain, which were told to come back.",
			func(s stream.Stats) uint64 { return s.Refused }),
		telemetry.Counter("hub_edge_streams_slow_total", "Streams that were closed because their client read too slowly.",
			func(s stream.Stats) uint64 { return s.SlowClosed }),
		telemetry.Counter("hub_edge_streams_expired_total", "Streams that ended with their token.",
			func(s stream.Stats) uint64 { return s.Expired }),
		telemetry.Counter("hub_edge_streams_logged_out_total", "Streams that ended with their user's session.",
			func(s stream.Stats) uint64 { return s.LoggedOut }),
		telemetry.Counter("hub_edge_claims_failed_total", "Streams that began without the other edges hearing of it at once.",
			func(s stream.Stats) uint64 { return s.ClaimsFailed }),
		telemetry.Counter(resumes, resumed, func(s stream.Stats) uint64 { return s.Resumed }, "result", "hit"),
		telemetry.Counter(resumes, resumed, func(s stream.Stats) uint64 { return s.Unknown }, "result", "miss"),
		telemetry.Counter("hub_edge_streams_look_again_total", "Streams that were told to look for all todos of their user, since events may have been missed.",
			func(s stream.Stats) uint64 { return s.LookAgain }),
		telemetry.Gauge("hub_edge_ring_bytes", "Memory of the events that are kept for clients that come back.",
			func(s stream.Stats) int { return s.RingBytes }),
		telemetry.Counter("hub_edge_events_delivered_total", "Events that were written to a stream when they were heard.",
			func(s stream.Stats) uint64 { return s.Delivered }),
		telemetry.Counter("hub_edge_events_replayed_total", "Events that were sent to clients that came back.",
			func(s stream.Stats) uint64 { return s.Replayed }),
		telemetry.Counter("hub_edge_events_without_id_total", "Delivered events whose id cannot stand in a stream.",
			func(s stream.Stats) uint64 { return s.UnsafeIDs }),
	)
}

func measureSockets(r *telemetry.Registry, read func() socket.Stats) {
	const (
		closed, closer = "hub_edge_sockets_closed_total", "WebSockets that ended, by the code of their close: client where the client left, silent where it answered no pings."
		sent, sender   = "hub_edge_socket_messages_total", "Messages that were written to WebSockets or queued for them, by their type."
	)
	values := []telemetry.Metric[socket.Stats]{
		telemetry.Gauge("hub_edge_sockets", "Open WebSockets.",
			func(s socket.Stats) int { return s.Open }),
		telemetry.Gauge("hub_edge_sockets_max", "Most WebSockets that may be open, HUB_MAX_SOCKETS.",
			func(s socket.Stats) int { return s.Max }),
		telemetry.Counter("hub_edge_sockets_refused_total", "Handshakes over HUB_MAX_SOCKETS or during a drain, answered with 503.",
			func(s socket.Stats) uint64 { return s.Refused }),
		telemetry.Counter("hub_edge_socket_counts_total", "Unread counts that WebSockets asked messagehub for, of a user each.",
			func(s socket.Stats) uint64 { return s.Asked }),
		telemetry.Counter("hub_edge_socket_counts_failed_total", "Those of calls that failed, and are asked for again.",
			func(s socket.Stats) uint64 { return s.Failed }),
	}
	for ending := range socket.Endings {
		values = append(values, telemetry.Counter(closed, closer, func(s socket.Stats) uint64 { return s.Closed[ending] }, "code", ending.String()))
	}
	for kind := range socket.Kinds {
		values = append(values, telemetry.Counter(sent, sender, func(s socket.Stats) uint64 { return s.Sent[kind] }, "type", kind.String()))
	}
	telemetry.Read(r, read, values...)
}

func measureEvents(r *telemetry.Registry, read func() catchup.Stats) {
	telemetry.Read(
		r, read,
		telemetry.Gauge("hub_edge_events_whole", "1 while no events are missing, 0 until a gap is made up for.",
			func(s catchup.Stats) int { return telemetry.Flag(s.Whole) }),
		telemetry.Counter("hub_edge_events_gaps_total", "Breaks of the subscription, its beginning included.",
			func(s catchup.Stats) uint64 { return s.Gaps }),
		telemetry.Counter("hub_edge_events_look_again_total", "Times at which events of todos may have been missed.",
			func(s catchup.Stats) uint64 { return s.LookAgain }),
		telemetry.Counter("hub_edge_events_caught_up_total", "Events that the bus did not bring and messagehub's log did.",
			func(s catchup.Stats) uint64 { return s.CaughtUp }),
		telemetry.Counter("hub_edge_events_deduplicated_total", "Events that came again and were left out.",
			func(s catchup.Stats) uint64 { return s.Repeated }),
		telemetry.Counter("hub_edge_events_catch_up_errors_total", "Calls of messagehub's log that failed.",
			func(s catchup.Stats) uint64 { return s.Failed }),
		telemetry.Gauge("hub_edge_events_refused", "1 while messagehub refuses its log to this edge, for its key or its certificate, else 0.",
			func(s catchup.Stats) int { return telemetry.Flag(s.Refused) }),
	)
}
