package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"example.com/hub/test/bench/internal/crowd"
	"example.com/hub/test/bench/internal/load"
	"example.com/hub/test/bench/internal/measure"
	"example.com/hub/test/bench/internal/plot"
	"example.com/hub/test/bench/internal/report"
	"example.com/hub/test/bench/internal/stage"
)

// deliveryTime bounds the wait for one event.
const deliveryTime = 10 * time.Second

// delivery is what is measured on one server that takes pushes and has streams.
type delivery struct {
	side
	fan []measure.Samples // ms to the last delivery, for each number of recipients
	// rate is pushes to one user per second.
	rate measure.Samples
	// fanUse, rateUse and idleUse are what a push used.
	fanUse, rateUse, idleUse report.Use
	// p50 and p99 are ms from a push to its delivery beside idle streams.
	p50, p99 measure.Samples
}

var pushes atomic.Int64

// runDeliver measures scenarios 4, 5, 8 and 14.
func runDeliver(ctx context.Context, e Env, home string, r *Result) error {
	s, err := stage.Start(ctx, e.Bin, home)
	if err != nil {
		return err
	}
	defer s.Stop()
	dsn, err := s.Migrated(ctx, "messagehub", "bare")
	if err != nil {
		return err
	}
	r.part(ctx, "4 5 5b 8", nil, func() ([]report.Row, []plot.Chart, error) {
		bare, err := stage.Baseline(ctx, "push", dsn, s.Redis.Address)
		if err != nil {
			return nil, nil, err
		}
		defer bare.Stop()
		return deliveries(ctx, e, distributed(s, "messagehub"), alone(bare, s))
	})
	r.part(ctx, "14a 14b", s.Both("messagehub"), func() ([]report.Row, []plot.Chart, error) {
		rows, err := busRows(ctx, e, s)
		return rows, nil, err
	})
	return nil
}

// deliveries measures scenarios 4, 5 and 8.
func deliveries(ctx context.Context, e Env, ours, bare side) ([]report.Row, []plot.Chart, error) {
	sizes := []int{10, 100, e.size(1_000, 200), e.size(10_000, 500)}
	hub, one := &delivery{side: ours}, &delivery{side: bare}
	for _, d := range []*delivery{hub, one} {
		d.fan = make([]measure.Samples, len(sizes))
		if err := d.round(ctx, e, sizes); err != nil {
			return nil, nil, err
		}
		// That was the warm-up.
		*d = delivery{side: d.side, fan: make([]measure.Samples, len(sizes))}
	}
	_, _, err := measure.Alternate(e.Rounds,
		func() (float64, error) { return 0, hub.round(ctx, e, sizes) },
		func() (float64, error) { return 0, one.round(ctx, e, sizes) })
	if err != nil {
		return nil, nil, err
	}
	single, err := lonePushes(ctx, e, hub, one)
	rows := append(deliveryRows(hub, one, sizes[len(sizes)-1]), single)
	return rows, []plot.Chart{deliveryChart(hub, one, sizes)}, err
}

func deliveryRows(hub, one *delivery, most int) []report.Row {
	last := len(hub.fan) - 1
	return []report.Row{
		{
			ID: "4", Scenario: fmt.Sprintf("push to %d connected users: time to the last delivery", most), Unit: "ms",
			Hub: hub.fan[last], Baseline: one.fan[last], Target: report.RatioAtMost(1.4),
			HubUse: hub.fanUse, BaselineUse: one.fanUse,
		},
		{
			ID: "5", Scenario: "push to 1 user, stored and delivered, 16 at once", Unit: "pushes/s",
			Hub: hub.rate, Baseline: one.rate, Target: report.RatioAtLeast(0.7).WithGoal(0.75),
			HubUse: hub.rateUse, BaselineUse: one.rateUse,
		},
		{
			ID: "8", Scenario: fmt.Sprintf("publish to delivered beside %d idle streams, 16 at once: p99", most), Unit: "ms",
			Hub: hub.p99, Baseline: one.p99, Target: report.RatioAtMost(1.5).WithGoal(1.4),
			HubUse: hub.idleUse, BaselineUse: one.idleUse,
			Note: fmt.Sprintf("the medians of p50 are %.2f ms and %.2f ms", hub.p50.Median(), one.p50.Median()),
		},
	}
}

func deliveryChart(hub, one *delivery, sizes []int) plot.Chart {
	chart := plot.Chart{
		Name: "delivery", Title: "Push to connected users", X: "recipients", Y: "time to the last delivery, ms",
		Series: []plot.Series{{Name: "Hub"}, {Name: "one process, the bare path", Baseline: true}},
	}
	for i, n := range sizes {
		for j, d := range []*delivery{hub, one} {
			chart.Series[j].Points = append(chart.Series[j].Points, plot.Point{X: float64(n), Y: d.fan[i].Median()})
		}
	}
	return chart
}

// fans is the number of pushes of which one value of scenario 4 is the median.
const fans = 3

// round takes one value of each figure.
func (d *delivery) round(ctx context.Context, e Env, sizes []int) error {
	few, err := crowd.Join(ctx, d.addr, d.token, 0, connections)
	if err != nil {
		return err
	}
	r, err := d.single(ctx, e, "5", few, connections, &d.rateUse)
	few.Leave()
	if err != nil {
		return err
	}
	d.rate = append(d.rate, r.Rate())

	n := slices.Max(sizes)
	many, err := crowd.Join(ctx, d.addr, d.token, 0, n)
	if err != nil {
		return err
	}
	defer many.Leave()
	for i, size := range sizes {
		usage, err := measure.Use(d.pids...)
		if err != nil {
			return err
		}
		took, err := measure.Repeat(fans, func() (float64, error) { return d.fanOut(ctx, many, size) })
		if err != nil {
			return err
		}
		d.fan[i] = append(d.fan[i], took.Median())
		if size < n {
			continue
		}
		if err := use(&d.fanUse, usage, fans); err != nil {
			return err
		}
	}
	many.Forget()
	r, err = d.single(ctx, e, "8", many, n, &d.idleUse)
	if err != nil {
		return err
	}
	d.p50 = append(d.p50, r.Latencies.Median())
	d.p99 = append(d.p99, r.Latencies.Quantile(0.99))
	return nil
}

// fanOut pushes to the first n users, all connected, and gives the milliseconds to the last delivery.
func (d *delivery) fanOut(ctx context.Context, c *crowd.Crowd, n int) (float64, error) {
	conn, err := load.Dial(ctx, d.addr)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }()
	request := load.Post(nil, "/message-hub/messages", d.token, message(users(0, n)...))
	wave := crowd.Expect(crowd.Message, n, c)
	began := time.Now()
	if _, err := conn.Do(request, false); err != nil {
		return 0, err
	}
	_, last, err := wave.Wait(ctx)
	return last.Sub(began).Seconds() * 1000, err
}

// single pushes to one of n connected users at a time, from many connections, and adds what a push used.
func (d *delivery) single(ctx context.Context, e Env, row string, c *crowd.Crowd, n int, used *report.Use) (load.Result, error) {
	return d.under(ctx, e, row, used, func() (load.Result, error) {
		return load.Workers(ctx, connections, e.window(),
			func(ctx context.Context, worker int, until time.Time) (measure.Samples, error) {
				return d.pushEach(ctx, c, n, worker, until)
			})
	})
}

// pushEach is one worker of single, which has every 16th user.
func (d *delivery) pushEach(ctx context.Context, c *crowd.Crowd, n, worker int, until time.Time) (measure.Samples, error) {
	conn, err := load.Dial(ctx, d.addr)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	var took measure.Samples
	for user := worker; time.Now().Before(until); user = (user + connections) % n {
		if n%connections != 0 && user >= n-n%connections {
			user = worker
		}
		ms, err := d.pushOne(ctx, conn, c, user)
		if err != nil {
			return nil, err
		}
		took = append(took, ms)
	}
	return took, nil
}

// pushOne pushes to one user and gives the milliseconds to the delivery. It returns when the push is both
// answered and delivered.
func (d *delivery) pushOne(ctx context.Context, conn *load.Conn, c *crowd.Crowd, user int) (float64, error) {
	request := load.Post(nil, "/message-hub/messages", d.token, message(crowd.User(user)))
	began := time.Now()
	if _, err := conn.Do(request, false); err != nil {
		return 0, err
	}
	select {
	case heard := <-c.Heard(user):
		return heard.Sub(began).Seconds() * 1000, nil
	case <-time.After(deliveryTime):
		return 0, errors.New("a push was answered and not delivered")
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// lonePushes measures a push that nothing else is under way beside.
func lonePushes(ctx context.Context, e Env, hub, one *delivery) (report.Row, error) {
	row := report.Row{
		ID: "5b", Scenario: "a lone push to 1 user, stored and delivered: p50", Unit: "ms", Target: report.RatioAtMost(2),
	}
	var takes [2]func() (float64, error)
	for i, d := range []*delivery{hub, one} {
		c, err := crowd.Join(ctx, d.addr, d.token, 0, 1)
		if err != nil {
			return row, err
		}
		defer c.Leave()
		conn, err := load.Dial(ctx, d.addr)
		if err != nil {
			return row, err
		}
		defer func() { _ = conn.Close() }()
		takes[i] = func() (float64, error) { return d.pushOne(ctx, conn, c, 0) }
	}
	var err error
	row.Hub, row.Baseline, err = lone(e, takes)
	return row, err
}

// message is the body of a push with an id of its own.
func message(targets ...string) []byte {
	body, err := json.Marshal(map[string]any{
		"sourceMessageId": fmt.Sprintf("push-%d-%d", time.Now().UnixNano(), pushes.Add(1)),
		"targetUsernames": targets, "title": title, "content": content(contentSize), "category": "order",
		"actions": json.RawMessage(actions),
	})
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return body
}
