package scenario

import (
	"context"
	"fmt"
	"time"

	"example.com/hub/test/bench/internal/crowd"
	"example.com/hub/test/bench/internal/load"
	"example.com/hub/test/bench/internal/measure"
	"example.com/hub/test/bench/internal/plot"
	"example.com/hub/test/bench/internal/report"
	"example.com/hub/test/bench/internal/stage"
)

// counted is what is measured of sockets.
type counted struct {
	told, memory measure.Samples // ms to the last right count, and KiB for an idle socket
	used         report.Use      // of a push
	pushed       int64           // messages that each user has
}

// runSockets measures scenario 19: pages that show what is unread, by a WebSocket each.
func runSockets(ctx context.Context, e Env, home string, r *Result) error {
	s, err := stage.Start(ctx, e.Bin, home)
	if err != nil {
		return err
	}
	defer s.Stop()
	r.part(ctx, "19a 19b", s.Both("messagehub"), func() ([]report.Row, []plot.Chart, error) {
		n := e.size(10_000, 500)
		var m counted
		for range e.Rounds {
			if err := s.RestartEdge(ctx); err != nil {
				return nil, nil, err
			}
			if err := m.round(ctx, s, n); err != nil {
				return nil, nil, err
			}
		}
		return []report.Row{
			{
				ID: "19a", Scenario: fmt.Sprintf("push to %d open WebSockets: time until each was told its right count", n), Unit: "ms",
				Hub: m.told, Target: report.AtMost(2000), HubUse: m.used,
				Note: "from the push to the last count, each of which messagehub was asked for",
			},
			{
				ID: "19b", Scenario: fmt.Sprintf("edge memory per idle WebSocket, %d sockets", n), Unit: "KiB",
				Hub: m.memory, Target: report.AtMost(16),
			},
		}, nil, nil
	})
	return nil
}

// round opens the sockets at an edge that has just begun, and pushes to all of their users.
func (m *counted) round(ctx context.Context, s *stage.Stage, n int) error {
	few, err := crowd.Watch(ctx, s.Edge, s.Token, 50) // makes what is there once
	if err != nil {
		return err
	}
	few.Leave()
	before, err := measure.Resident(s.EdgePID)
	if err != nil {
		return err
	}
	all, err := crowd.Watch(ctx, s.Edge, s.Token, n)
	if err != nil {
		return err
	}
	defer all.Leave()
	// The counts were asked for by calls whose memory is free again soon.
	if err := measure.Pause(ctx, 2*time.Second); err != nil {
		return err
	}
	resident, err := measure.Resident(s.EdgePID)
	if err != nil {
		return err
	}
	m.memory = append(m.memory, (resident-before)/1024/float64(n))
	conn, err := load.Dial(ctx, s.Edge)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	usage, err := measure.Use(s.EdgePID, s.MessagehubPID)
	if err != nil {
		return err
	}
	took, err := measure.Repeat(fans, func() (float64, error) { return m.push(ctx, conn, s.Token, all, n) })
	if err != nil {
		return err
	}
	m.told = append(m.told, took.Median())
	return use(&m.used, usage, fans)
}

// push pushes to all users, and gives the milliseconds until each was told.
func (m *counted) push(ctx context.Context, conn *load.Conn, token string, all *crowd.Badges, n int) (float64, error) {
	// The second of the last count is over, so that this one is told at once.
	if err := measure.Pause(ctx, time.Second); err != nil {
		return 0, err
	}
	request := load.Post(nil, "/message-hub/messages", token, message(users(0, n)...))
	began := time.Now()
	if _, err := conn.Do(request, false); err != nil {
		return 0, err
	}
	m.pushed++
	last, err := all.Until(ctx, func(unread int64) bool { return unread == m.pushed })
	return last.Sub(began).Seconds() * 1000, err
}
