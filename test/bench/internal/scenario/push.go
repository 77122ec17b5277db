package scenario

import (
	"context"
	"fmt"
	"time"

	"example.com/hub/test/bench/internal/measure"
	"example.com/hub/test/bench/internal/plot"
	"example.com/hub/test/bench/internal/report"
	"example.com/hub/test/bench/internal/stage"
)

// runPush measures scenarios 1 to 3.
func runPush(ctx context.Context, e Env, home string, r *Result) error {
	s, err := stage.Start(ctx, e.Bin, home, "HUB_MAX_TARGETS=100000")
	if err != nil {
		return err
	}
	defer s.Stop()
	p, closeAll, err := newPusher(ctx, s)
	if err != nil {
		return err
	}
	defer closeAll()
	services := []stage.Service{s.Services["messagehub"]}
	// The sizes come first: they want users without records.
	r.part(ctx, "3", services, func() ([]report.Row, []plot.Chart, error) {
		row, err := p.bytesPerRecipient(ctx, e.size(100_000, 5_000))
		return []report.Row{row}, nil, err
	})
	r.part(ctx, "1a 1b 2a 2b", services, func() ([]report.Row, []plot.Chart, error) {
		rows, err := p.rates(ctx, e)
		if err != nil {
			return nil, nil, err
		}
		rows[0].Note, err = p.crowded(ctx)
		return rows, nil, err
	})
	r.chart("recipients", func() (plot.Chart, error) { return p.chart(ctx, e) })
	return nil
}

// inboxBytes is the size of the inbox table with its indexes.
func (p *pusher) inboxBytes(ctx context.Context) (bytes float64, err error) {
	err = p.hubDB.QueryRow(ctx, "SELECT pg_total_relation_size('inbox')").Scan(&bytes)
	return bytes, err
}

// crowded tells how large the inbox is for each record now.
func (p *pusher) crowded(ctx context.Context) (string, error) {
	bytes, err := p.inboxBytes(ctx)
	if err != nil {
		return "", err
	}
	var records float64
	err = p.hubDB.QueryRow(ctx, "SELECT count(*) FROM inbox").Scan(&records)
	return fmt.Sprintf("the baseline checks nothing, deduplicates nothing and keeps no event log; "+
		"after all pushes of this run, %.1f million records of the same users take %.0f bytes each", records/1e6, bytes/records), err
}

// bytesPerRecipient pushes a short and a long content to users who have no records yet.
func (p *pusher) bytesPerRecipient(ctx context.Context, n int) (report.Row, error) {
	row := report.Row{
		ID: "3", Scenario: fmt.Sprintf("inbox table and indexes after a fresh push to %d users", n),
		Unit: "bytes/recipient", Target: report.AtMost(220),
	}
	var found [2]float64
	for i, size := range []int{contentSize, 64 << 10} {
		before, err := p.inboxBytes(ctx)
		if err != nil {
			return row, err
		}
		if err := p.pushHub(users(i*1_000_000, n), size); err != nil {
			return row, err
		}
		after, err := p.inboxBytes(ctx)
		if err != nil {
			return row, err
		}
		found[i] = (after - before) / float64(n)
	}
	row.Hub = measure.Samples{max(found[0], found[1])}
	row.Note = fmt.Sprintf("%.0f bytes with a content of 400 bytes, %.0f with one of 64 KiB, which is stored once", found[0], found[1])
	return row, nil
}

// rates measures scenarios 1 and 2.
func (p *pusher) rates(ctx context.Context, e Env) ([]report.Row, error) {
	var raw, full []report.Row
	for i, c := range []struct {
		users, pushes int
		ratio         float64
	}{{e.size(10_000, 1_000), e.size(5, 1), 2}, {e.size(100_000, 5_000), 1, 3}} {
		targets := users(0, c.users)
		took, err := p.alternate(ctx, e.Rounds, c.pushes, p.ways(ctx, targets))
		if err != nil {
			return nil, err
		}
		var rates [3]measure.Samples
		for way, milliseconds := range took {
			for _, ms := range milliseconds {
				rates[way] = append(rates[way], float64(c.users)/ms*1000)
			}
		}
		letter := string(rune('a' + i))
		raw = append(raw, report.Row{
			ID: "1" + letter, Scenario: fmt.Sprintf("push to %d users, against a sorted COPY", c.users), Unit: "rows/s",
			Hub: rates[0], Baseline: rates[1], Target: report.RatioAtLeast(0.8), HubUse: p.used,
		})
		full = append(full, report.Row{
			ID: "2" + letter, Scenario: fmt.Sprintf("push to %d users, against a full row per user", c.users), Unit: "rows/s",
			Hub: rates[0], Baseline: rates[2], Target: report.RatioAtLeast(c.ratio), HubUse: p.used,
		})
	}
	return append(raw, full...), nil
}

// alternate runs each way in every round, after one that is not counted, and gives the milliseconds of
// one push. The order moves on by one each round.
func (p *pusher) alternate(ctx context.Context, rounds, pushes int, ways []func() error) ([]measure.Samples, error) {
	took := make([]measure.Samples, len(ways))
	p.used = report.Use{}
	var usage measure.Usage
	for round := -1; round < rounds; round++ {
		// A checkpoint in the middle of one way would be the other's.
		if _, err := p.hubDB.Exec(ctx, "CHECKPOINT"); err != nil {
			return nil, err
		}
		if round == 0 {
			var err error
			if usage, err = measure.Use(p.pid); err != nil {
				return nil, err
			}
		}
		for i := range ways {
			way := (i + round + len(ways)) % len(ways)
			began := time.Now()
			for range pushes {
				if err := ways[way](); err != nil {
					return nil, err
				}
			}
			if round >= 0 {
				took[way] = append(took[way], time.Since(began).Seconds()*1000/float64(pushes))
			}
		}
	}
	// One round is too short for the kernel's clock of processor time.
	return took, use(&p.used, usage, rounds*pushes)
}

// chart draws the cost of a push against its recipients.
func (p *pusher) chart(ctx context.Context, e Env) (plot.Chart, error) {
	c := plot.Chart{
		Name: "recipients", Title: "Storing a push", X: "recipients", Y: "time, ms",
		Series: []plot.Series{
			{Name: "Hub, the whole gRPC call"},
			{Name: "sorted COPY of the same rows", Baseline: true},
			{Name: "full row per user", Baseline: true},
		},
	}
	for _, n := range []int{1, 10, 100, 1_000, e.size(10_000, 2_000), e.size(100_000, 5_000)} {
		pushes := max(1, min(50, 5_000/n))
		took, err := p.alternate(ctx, min(e.Rounds, 3), pushes, p.ways(ctx, users(0, n)))
		if err != nil {
			return c, err
		}
		for way, milliseconds := range took {
			c.Series[way].Points = append(c.Series[way].Points, plot.Point{X: float64(n), Y: milliseconds.Median()})
		}
	}
	return c, nil
}
