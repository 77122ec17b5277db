package edge

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/telemetrytest"
	"example.com/hub/services/edge/internal/catchup"
	"example.com/hub/services/edge/internal/socket"
	"example.com/hub/services/edge/internal/stream"
)

// TestMetrics gives each number a value of its own, so that none can stand in the place of another.
func TestMetrics(t *testing.T) {
	r := telemetry.New()
	measureStreams(r, func() stream.Stats {
		return stream.Stats{
			Open: 1, Replaced: 2, ReplacedElsewhere: 3, ClaimsFailed: 4, Refused: 5, SlowClosed: 6, Expired: 7,
			Delivered: 8, UnsafeIDs: 9, Resumed: 10, Unknown: 11, Replayed: 12, RingBytes: 13, Max: 18, LoggedOut: 19, LookAgain: 25,
		}
	})
	measureSockets(r, func() socket.Stats {
		s := socket.Stats{Open: 20, Max: 21, Refused: 22, Asked: 23, Failed: 24}
		for i := range s.Closed {
			s.Closed[i] = uint64(30 + i)
		}
		for i := range s.Sent {
			s.Sent[i] = uint64(40 + i)
		}
		return s
	})
	measureEvents(r, func() catchup.Stats {
		return catchup.Stats{Whole: true, Gaps: 14, CaughtUp: 15, Repeated: 16, Failed: 17, LookAgain: 26, Refused: true}
	})
	want := []string{
		`hub_edge_claims_failed_total 4`,
		`hub_edge_events_catch_up_errors_total 17`,
		`hub_edge_events_caught_up_total 15`,
		`hub_edge_events_deduplicated_total 16`,
		`hub_edge_events_delivered_total 8`,
		`hub_edge_events_gaps_total 14`,
		`hub_edge_events_look_again_total 26`,
		`hub_edge_events_refused 1`,
		`hub_edge_events_replayed_total 12`,
		`hub_edge_events_whole 1`,
		`hub_edge_events_without_id_total 9`,
		`hub_edge_resumes_total{result="hit"} 10`,
		`hub_edge_resumes_total{result="miss"} 11`,
		`hub_edge_ring_bytes 13`,
		`hub_edge_socket_counts_failed_total 24`,
		`hub_edge_socket_counts_total 23`,
		`hub_edge_socket_messages_total{type="inbox.unread.changed"} 40`,
		`hub_edge_socket_messages_total{type="message.created"} 41`,
		`hub_edge_socket_messages_total{type="todo.changed"} 42`,
		`hub_edge_sockets 20`,
		`hub_edge_sockets_closed_total{code="1003"} 32`,
		`hub_edge_sockets_closed_total{code="1008"} 33`,
		`hub_edge_sockets_closed_total{code="1011"} 34`,
		`hub_edge_sockets_closed_total{code="1012"} 35`,
		`hub_edge_sockets_closed_total{code="4001"} 36`,
		`hub_edge_sockets_closed_total{code="4003"} 37`,
		`hub_edge_sockets_closed_total{code="client"} 30`,
		`hub_edge_sockets_closed_total{code="silent"} 31`,
		`hub_edge_sockets_max 21`,
		`hub_edge_sockets_refused_total 22`,
		`hub_edge_streams 1`,
		`hub_edge_streams_expired_total 7`,
		`hub_edge_streams_logged_out_total 19`,
		`hub_edge_streams_look_again_total 25`,
		`hub_edge_streams_max 18`,
		`hub_edge_streams_refused_total 5`,
		`hub_edge_streams_replaced_total{edge="other"} 3`,
		`hub_edge_streams_replaced_total{edge="this"} 2`,
		`hub_edge_streams_slow_total 6`,
	}
	if diff := cmp.Diff(want, telemetrytest.Scrape(r, "hub_edge_")); diff != "" {
		t.Error(diff)
	}
}
