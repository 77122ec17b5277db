package scenario

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/bench/internal/baseline/push"
	"example.com/hub/bench/internal/measure"
	"example.com/hub/bench/internal/plot"
	"example.com/hub/bench/internal/report"
	"example.com/hub/bench/internal/stage"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
)

// fullRows is the plain way to keep messages: a row per user with everything in it.
const fullRows = `
CREATE TABLE inbox (
	id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	source_app_id     text NOT NULL,
	source_message_id text NOT NULL,
	username          text NOT NULL,
	title             text NOT NULL,
	content           text NOT NULL,
	category          text NOT NULL,
	actions           text NOT NULL,
	status            smallint NOT NULL,
	occurred_at       timestamptz NOT NULL,
	read_at           timestamptz,
	create_time       timestamptz NOT NULL,
	modify_time       timestamptz NOT NULL,
	UNIQUE (source_app_id, source_message_id, username)
);
CREATE INDEX ON inbox (username, status, occurred_at DESC, id DESC)`

const insertFullRows = `
INSERT INTO inbox (source_app_id, source_message_id, username, title, content, category, actions, status,
	occurred_at, create_time, modify_time)
SELECT 'erp', $1, username, $2, $3, 'order', $4, 1, $5, $5, $5
FROM unnest($6::text[]) AS username
ON CONFLICT DO NOTHING`

// pusher stores a push in three ways: as Hub's service, as a COPY of its inbox rows, and as rows with
// everything in them.
type pusher struct {
	hub        messagev1.MessageServiceClient
	calls      context.Context //nolint:containedctx // it carries the token of all calls
	hubDB      *pgx.Conn
	copy, full *pgx.Conn
	pushed     int64
	began      time.Time
}

// Push measures scenarios 1 to 3.
func Push(ctx context.Context, e Env, home string) (Result, error) {
	s, err := stage.Start(ctx, e.Bin, home, "HUB_MAX_TARGETS=100000")
	if err != nil {
		return Result{}, err
	}
	defer s.Stop()
	p, closeAll, err := newPusher(ctx, s)
	if err != nil {
		return Result{}, err
	}
	defer closeAll()
	bytes, err := p.bytesPerRecipient(ctx, e.size(100_000, 5_000))
	if err != nil {
		return Result{}, err
	}
	rows, err := p.rates(ctx, e)
	if err != nil {
		return Result{}, err
	}
	later, err := p.inboxBytes(ctx)
	if err != nil {
		return Result{}, err
	}
	var records float64
	if err := p.hubDB.QueryRow(ctx, "SELECT count(*) FROM inbox").Scan(&records); err != nil {
		return Result{}, err
	}
	bytes.Note += fmt.Sprintf("; %.0f bytes after all pushes of this run, %.1f million records of the same users", later/records, records/1e6)
	chart, err := p.chart(ctx, e)
	return Result{append(rows, bytes), []plot.Chart{chart}}, err
}

func newPusher(ctx context.Context, s *stage.Stage) (_ *pusher, closeAll func(), err error) {
	p := &pusher{began: time.Now()}
	var closers []func()
	closeAll = func() {
		for _, c := range slices.Backward(closers) {
			c()
		}
	}
	defer func() {
		if err != nil {
			closeAll()
		}
	}()
	calls, withToken, err := s.Calls(ctx, s.Messagehub)
	if err != nil {
		return nil, nil, err
	}
	closers = append(closers, func() { _ = calls.Close() })
	p.hub, p.calls = messagev1.NewMessageServiceClient(calls), withToken

	connect := func(into **pgx.Conn, dsn string) {
		if err != nil {
			return
		}
		var conn *pgx.Conn
		if conn, err = pgx.Connect(ctx, dsn); err == nil {
			*into = conn
			closers = append(closers, func() { _ = conn.Close(context.WithoutCancel(ctx)) })
		}
	}
	dsn, err := s.Migrated(ctx, "messagehub", "copy")
	if err != nil {
		return nil, nil, err
	}
	if err := s.Postgres.CreateDatabase(ctx, "rows"); err != nil {
		return nil, nil, err
	}
	connect(&p.copy, dsn)
	connect(&p.full, s.Database("rows"))
	connect(&p.hubDB, s.Database("messagehub"))
	if err != nil {
		return nil, nil, err
	}
	_, err = p.full.Exec(ctx, fullRows)
	return p, closeAll, err
}

// id is a new message id.
func (p *pusher) id() string {
	p.pushed++
	return fmt.Sprintf("message-%d-%d", p.began.UnixNano(), p.pushed)
}

func (p *pusher) pushHub(targets []string, size int) error {
	answer, err := p.hub.PushMessage(p.calls, &messagev1.PushMessageRequest{
		SourceMessageId: p.id(), TargetUsernames: targets, Title: title, Content: content(size), Category: "order",
		Actions: []*messagev1.MessageAction{{Label: "Open", Url: "https://erp.example.com/orders/4711"}},
	})
	if err != nil {
		return fmt.Errorf("push to %d users: %w", len(targets), err)
	}
	if int(answer.GetCreated()) != len(targets) {
		return fmt.Errorf("a push to %d users created %d records", len(targets), answer.GetCreated())
	}
	return nil
}

func (p *pusher) pushCopy(ctx context.Context, sorted []string) error {
	p.pushed++
	return push.Copy(ctx, p.copy, sorted, p.pushed, p.pushed, time.Now())
}

func (p *pusher) pushFull(ctx context.Context, targets []string) error {
	_, err := p.full.Exec(ctx, insertFullRows, p.id(), title, content(contentSize), actions, time.Now(), targets)
	return err
}

// inboxBytes is the size of the inbox table with its indexes.
func (p *pusher) inboxBytes(ctx context.Context) (bytes float64, err error) {
	err = p.hubDB.QueryRow(ctx, "SELECT pg_total_relation_size('inbox')").Scan(&bytes)
	return bytes, err
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
	row.Note = fmt.Sprintf("%.0f bytes with a content of 400 bytes, %.0f with one of 64 KiB", found[0], found[1])
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
		sorted := slices.Sorted(slices.Values(targets))
		ways := []func() error{
			func() error { return p.pushHub(targets, contentSize) },
			func() error { return p.pushCopy(ctx, sorted) },
			func() error { return p.pushFull(ctx, targets) },
		}
		took, err := p.alternate(ctx, e.Rounds, c.pushes, ways)
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
			Hub: rates[0], Baseline: rates[1], Target: report.RatioAtLeast(0.8),
		})
		full = append(full, report.Row{
			ID: "2" + letter, Scenario: fmt.Sprintf("push to %d users, against a full row per user", c.users), Unit: "rows/s",
			Hub: rates[0], Baseline: rates[2], Target: report.RatioAtLeast(c.ratio),
		})
	}
	return append(raw, full...), nil
}

// alternate runs each way in every round, after one that is not counted, and gives the milliseconds of
// one push. The order moves on by one each round.
func (p *pusher) alternate(ctx context.Context, rounds, pushes int, ways []func() error) ([]measure.Samples, error) {
	took := make([]measure.Samples, len(ways))
	for round := -1; round < rounds; round++ {
		// A checkpoint in the middle of one way would be the other's.
		if _, err := p.hubDB.Exec(ctx, "CHECKPOINT"); err != nil {
			return nil, err
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
	return took, nil
}

// chart draws the cost of a push against its recipients.
func (p *pusher) chart(ctx context.Context, e Env) (plot.Chart, error) {
	c := plot.Chart{
		Name: "recipients", Title: "Cost of a push", X: "recipients", Y: "milliseconds",
		Series: []plot.Series{{Name: "Hub, gRPC call"}, {Name: "sorted COPY"}, {Name: "full row per user"}},
	}
	for _, n := range []int{1, 10, 100, 1_000, 10_000, e.size(100_000, 10_000)} {
		targets := users(0, n)
		sorted := slices.Sorted(slices.Values(targets))
		pushes := max(1, min(50, 5_000/n))
		took, err := p.alternate(ctx, min(e.Rounds, 3), pushes, []func() error{
			func() error { return p.pushHub(targets, contentSize) },
			func() error { return p.pushCopy(ctx, sorted) },
			func() error { return p.pushFull(ctx, targets) },
		})
		if err != nil {
			return c, err
		}
		for way, milliseconds := range took {
			c.Series[way].Points = append(c.Series[way].Points, plot.Point{X: float64(n), Y: milliseconds.Median()})
		}
	}
	return c, nil
}
