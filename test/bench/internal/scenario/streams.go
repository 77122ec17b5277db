package scenario

import (
	"context"
	"fmt"
	"time"

	"example.com/hub/test/bench/internal/crowd"
	"example.com/hub/test/bench/internal/measure"
	"example.com/hub/test/bench/internal/plot"
	"example.com/hub/test/bench/internal/report"
	"example.com/hub/test/bench/internal/stage"
)

// beat is the interval of heartbeats in these scenarios, so that a run does not wait for them.
func (e Env) beat() time.Duration {
	if e.Short {
		return 250 * time.Millisecond
	}
	return time.Second
}

// idle is what is measured on one server: heartbeats per second to n streams, and memory per stream.
type idle struct {
	beats  measure.Samples
	memory []measure.Samples // KiB per stream, for each number of streams
	used   []report.Use      // the processor time for each stream of a heartbeat, and the whole process
}

// runStreams measures scenarios 6 and 7. Each round has fresh services, whose memory is compared with
// what it was before the streams.
func runStreams(ctx context.Context, e Env, home string, r *Result) error {
	beat := e.beat()
	s, err := stage.Start(ctx, e.Bin, home, "HUB_HEARTBEAT_INTERVAL="+beat.String())
	if err != nil {
		return err
	}
	defer s.Stop()
	r.part(ctx, "6 7a 7b", []stage.Service{s.Services["edge"]}, func() ([]report.Row, []plot.Chart, error) {
		steps := []int{e.size(1_000, 100), e.size(10_000, 500), e.size(19_000, 1_000)}
		hub, bare := newIdle(len(steps)), newIdle(len(steps))
		asHub := func() (float64, error) {
			if err := s.RestartEdge(ctx); err != nil {
				return 0, err
			}
			return 0, hub.round(ctx, side{addr: s.Edge, token: s.Token, pids: []int{s.EdgePID}}, steps, beat)
		}
		asBare := func() (float64, error) {
			p, err := stage.Baseline(ctx, "sse", beat.String())
			if err != nil {
				return 0, err
			}
			defer p.Stop()
			return 0, bare.round(ctx, side{addr: p.Addr, pids: []int{p.PID}}, steps, beat)
		}
		if _, _, err := measure.Alternate(e.Rounds, asHub, asBare); err != nil {
			return nil, nil, err
		}
		return streamRows(hub, bare, steps), []plot.Chart{streamChart(hub, bare, steps)}, nil
	})
	return nil
}

func newIdle(steps int) *idle {
	return &idle{memory: make([]measure.Samples, steps), used: make([]report.Use, steps)}
}

func streamRows(hub, bare *idle, steps []int) []report.Row {
	rows := []report.Row{{
		ID: "6", Scenario: fmt.Sprintf("heartbeat to %d streams", steps[1]), Unit: "events/s",
		Hub: hub.beats, Baseline: bare.beats, Target: report.RatioAtLeast(0.8), HubUse: hub.used[1], BaselineUse: bare.used[1],
		Note: "from the first to the last arrival of one heartbeat; the processor time is that of one event",
	}}
	for i, n := range steps[1:] {
		rows = append(rows, report.Row{
			ID: "7" + string(rune('a'+i)), Scenario: fmt.Sprintf("edge memory per idle stream, %d streams", n), Unit: "KiB",
			Hub: hub.memory[i+1], Baseline: bare.memory[i+1], Target: report.AtMost(2.5),
			HubUse: report.Use{Memory: hub.used[i+1].Memory}, BaselineUse: report.Use{Memory: bare.used[i+1].Memory},
		})
	}
	return rows
}

func streamChart(hub, bare *idle, steps []int) plot.Chart {
	chart := plot.Chart{
		Name: "streams", Title: "Memory of idle event streams", X: "open streams", Y: "memory for them, MiB",
		Series: []plot.Series{{Name: "Hub's edge"}, {Name: "net/http, a handler each", Baseline: true}},
	}
	for i, n := range steps {
		for j, samples := range []measure.Samples{hub.memory[i], bare.memory[i]} {
			chart.Series[j].Points = append(chart.Series[j].Points, plot.Point{X: float64(n), Y: samples.Median() * float64(n) / 1024})
		}
	}
	return chart
}

// round opens streams up to each number and lets heartbeats pass.
func (m *idle) round(ctx context.Context, s side, steps []int, beat time.Duration) error {
	pid := s.pids[0]
	// The first streams make what is there once: pools, stacks, the token's cache.
	if err := warm(ctx, s, beat); err != nil {
		return err
	}
	before, err := measure.Resident(pid)
	if err != nil {
		return err
	}
	var all []*crowd.Crowd
	defer func() {
		for _, c := range all {
			c.Leave()
		}
	}()
	open := 0
	for i, n := range steps {
		c, err := crowd.Join(ctx, s.addr, s.token, open, n-open)
		if err != nil {
			return err
		}
		all = append(all, c)
		open = n
		// Two heartbeats go by, in which the server comes to rest.
		if err := measure.Pause(ctx, 2*beat); err != nil {
			return err
		}
		resident, err := measure.Resident(pid)
		if err != nil {
			return err
		}
		m.memory[i] = append(m.memory[i], (resident-before)/1024/float64(n))
		// A heartbeat that is under way would be counted with the next one.
		if err := crowd.Calm(ctx, crowd.Heartbeat, beat/4, all...); err != nil {
			return err
		}
		usage, err := measure.Use(pid)
		if err != nil {
			return err
		}
		rate, err := heartbeats(ctx, all, n)
		if err != nil {
			return err
		}
		if err := use(&m.used[i], usage, beatsEach*n); err != nil {
			return err
		}
		if i == 1 {
			m.beats = append(m.beats, rate)
		}
	}
	return nil
}

func warm(ctx context.Context, s side, beat time.Duration) error {
	c, err := crowd.Join(ctx, s.addr, s.token, 0, 50)
	if err != nil {
		return err
	}
	c.Leave()
	return measure.Pause(ctx, beat)
}

// beatsEach is the number of heartbeats of which one value of scenario 6 is the median.
const beatsEach = 3

// heartbeats gives the rate of some heartbeats to all clients, the median of them.
func heartbeats(ctx context.Context, all []*crowd.Crowd, n int) (float64, error) {
	var rates measure.Samples
	for range beatsEach {
		group := crowd.Expect(crowd.Heartbeat, n, all...)
		first, last, err := group.Wait(ctx)
		if err != nil {
			return 0, err
		}
		rates = append(rates, float64(n)/last.Sub(first).Seconds())
	}
	return rates.Median(), nil
}
