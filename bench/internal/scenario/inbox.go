package scenario

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/bench/internal/measure"
	"example.com/hub/bench/internal/plot"
	"example.com/hub/bench/internal/report"
	"example.com/hub/bench/internal/stage"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
)

// unreadEach is the number of unread records of each user but the one with many.
const unreadEach = 50

// seedInboxes makes $1 messages, in three statements: of each a record for the user "large", of the
// first $2 one for "medium" and an unread one for "unread", of the first 100 one for "small".
var seedInboxes = []string{
	`INSERT INTO message (source_message_id, source_app_id)
	SELECT 'seed-' || n, 'erp' FROM generate_series(1, $1::int + 0 * $2::int) AS n`,
	`INSERT INTO body (message_id, occurred_at, create_time, creator, title, category, actions, content)
	SELECT id, now() - id * 7919 % ($1::int + 0 * $2::int) * interval '1 second', now(), 'erp', 'Order ' || id, 'order', '[]',
		repeat('Twelve desks and chairs. ', 16)
	FROM message`,
	`INSERT INTO inbox (message_id, body_id, ordinal, status, occurred_at, read_at, username, modifier)
	SELECT message_id, id, u.ordinal, u.status, occurred_at, CASE WHEN u.status = 2 THEN now() END, u.username,
		CASE WHEN u.status = 2 THEN 'portal' END
	FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM body) AS b
	CROSS JOIN LATERAL (
		SELECT 0 AS ordinal, CASE WHEN n <= 50 THEN 1 ELSE 2 END AS status, 'large' AS username WHERE n <= $1::int
		UNION ALL SELECT 1, CASE WHEN n <= 50 THEN 1 ELSE 2 END, 'medium' WHERE n <= $2::int
		UNION ALL SELECT 2, CASE WHEN n <= 50 THEN 1 ELSE 2 END, 'small' WHERE n <= 100
		UNION ALL SELECT 3, 1, 'unread' WHERE n <= $2::int
	) AS u
	ORDER BY message_id, username`,
}

// reader reads and marks inboxes as a portal does, one call at a time.
type reader struct {
	hub   messagev1.MessageServiceClient
	calls context.Context //nolint:containedctx // it carries the token of all calls
	db    *pgx.Conn
	env   Env
	// page is the statement of a page without its total.
	page string
}

// Inbox measures scenarios 11 and 12.
func Inbox(ctx context.Context, e Env, home string) (Result, error) {
	s, err := stage.Start(ctx, e.Bin, home)
	if err != nil {
		return Result{}, err
	}
	defer s.Stop()
	conn, calls, err := s.Calls(ctx, s.Messagehub)
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = conn.Close() }()
	db, err := pgx.Connect(ctx, s.Database("messagehub"))
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = db.Close(context.WithoutCancel(ctx)) }()
	large, medium := e.size(1_000_000, 5_000), e.size(10_000, 1_000)
	for _, statement := range seedInboxes {
		if _, err := db.Exec(ctx, statement, large, medium); err != nil {
			return Result{}, fmt.Errorf("seed inboxes: %w", err)
		}
	}
	if _, err := db.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return Result{}, err
	}
	r := reader{hub: messagev1.NewMessageServiceClient(conn), calls: calls, db: db, env: e}
	if r.page, err = r.rowsOnly(ctx, "small"); err != nil {
		return Result{}, err
	}
	rows, chart, err := r.sizes(ctx, large, medium)
	if err != nil {
		return Result{}, err
	}
	deep, err := r.deep(ctx, large)
	if err != nil {
		return Result{}, err
	}
	marks, err := r.marks(large)
	return Result{append(rows, deep, marks), []plot.Chart{chart}}, err
}

// figures are milliseconds of one inbox.
type figures struct {
	user                string
	records             int
	rows, unread, whole measure.Samples
}

// sizes measures scenario 11.
func (r reader) sizes(ctx context.Context, large, medium int) ([]report.Row, plot.Chart, error) {
	inboxes := []*figures{
		{user: "small", records: 100},
		{user: "medium", records: medium},
		{user: "large", records: large},
		{user: "unread", records: medium},
	}
	for range r.env.Rounds {
		for _, i := range inboxes {
			if err := r.take(ctx, i); err != nil {
				return nil, plot.Chart{}, fmt.Errorf("inbox of %d records: %w", i.records, err)
			}
		}
	}
	small, unread := inboxes[0], inboxes[3]
	var rows []report.Row
	chart := plot.Chart{
		Name: "inbox", Title: "Cost of an inbox by its size", X: "records of the user", Y: "milliseconds",
		Series: []plot.Series{
			{Name: "rows of the first page (statement)"},
			{Name: "unread count of 50 (call)"},
			{Name: "page with exact total (call)"},
		},
	}
	for n, i := range inboxes[:3] {
		for j, samples := range []measure.Samples{i.rows, i.unread, i.whole} {
			chart.Series[j].Points = append(chart.Series[j].Points, plot.Point{X: float64(i.records), Y: samples.Median()})
		}
		if n == 0 {
			continue
		}
		letter := string(rune('a' + 2*(n-1)))
		rows = append(rows, report.Row{
			ID: "11" + letter, Scenario: fmt.Sprintf("rows of the first page: %d records against %d", i.records, small.records), Unit: "ms",
			Hub: i.rows, Baseline: small.rows, Target: report.RatioAtMost(1.5),
			Note: "the statement of the service with its count taken out, as PostgreSQL answers it",
		}, report.Row{
			ID: "11" + string(letter[0]+1), Scenario: fmt.Sprintf("unread count of %d: %d records against %d", unreadEach, i.records, small.records), Unit: "ms",
			Hub: i.unread, Baseline: small.unread, Target: report.RatioAtMost(1.5),
		})
	}
	rows[2].Note = ""
	return append(rows, report.Row{
		ID: "11e", Scenario: fmt.Sprintf("page with the exact total of %d records, the whole call", large), Unit: "ms",
		Hub: inboxes[2].whole, Target: report.AtMost(100),
	}, report.Row{
		ID: "11f", Scenario: fmt.Sprintf("unread count of %d unread, the whole call", medium), Unit: "ms",
		Hub: unread.unread, Target: report.AtMost(2),
	}), chart, nil
}

// take takes one value of each figure of an inbox.
func (r reader) take(ctx context.Context, i *figures) error {
	whole, err := median(r.env.size(15, 5), func() error {
		answer, err := r.list(i.user, 0)
		if err == nil && int(answer.GetTotalCount()) != i.records {
			return fmt.Errorf("the total is %d", answer.GetTotalCount())
		}
		return err
	})
	if err != nil {
		return err
	}
	rows, err := r.pageRows(ctx, i.user, 0)
	if err != nil {
		return err
	}
	unread, err := median(r.env.size(100, 5), func() error {
		_, err := r.hub.CountUnread(r.calls, &messagev1.CountUnreadRequest{Username: i.user})
		return err
	})
	i.whole, i.rows, i.unread = append(i.whole, whole), append(i.rows, rows), append(i.unread, unread)
	return err
}

func (r reader) list(user string, page int64) (*messagev1.ListInboxResponse, error) {
	return r.hub.ListInbox(r.calls, &messagev1.ListInboxRequest{Username: &user, Page: &page})
}

// median is that of the milliseconds of n calls.
func median(n int, call func() error) (float64, error) {
	samples, err := measure.Repeat(n, func() (float64, error) {
		began := time.Now()
		err := call()
		return time.Since(began).Seconds() * 1000, err
	})
	return samples.Median(), err
}

// deep measures the page at offset 10,000.
func (r reader) deep(ctx context.Context, large int) (report.Row, error) {
	offset := r.env.size(10_000, 1_000)
	row := report.Row{
		ID: "12a", Scenario: fmt.Sprintf("rows of the page at offset %d of %d, against the first", offset, large), Unit: "ms",
		Target: report.RatioAtMost(10), Note: "as 11a",
	}
	var err error
	row.Hub, row.Baseline, err = measure.Alternate(r.env.Rounds,
		func() (float64, error) { return r.pageRows(ctx, "large", int64(offset)) },
		func() (float64, error) { return r.pageRows(ctx, "large", 0) })
	return row, err
}

// marks measures mark-read of the user with the large inbox and of one with as many unread messages
// and nothing else.
func (r reader) marks(large int) (report.Row, error) {
	each := r.env.size(100, 5)
	row := report.Row{
		ID: "12b", Scenario: fmt.Sprintf("mark read in an inbox of %d records, against one of %d", large, each*r.env.Rounds), Unit: "ms",
		Target: report.RatioAtMost(1.5),
	}
	for n := range each * r.env.Rounds {
		_, err := r.hub.PushMessage(r.calls, &messagev1.PushMessageRequest{
			SourceMessageId: fmt.Sprintf("mark-%d", n), TargetUsernames: []string{"large", "few"}, Title: title, Content: content(contentSize),
		})
		if err != nil {
			return row, err
		}
	}
	mark := func(user string) func() (float64, error) {
		n := 0
		return func() (float64, error) {
			return median(each, func() error {
				answer, err := r.hub.MarkRead(r.calls, &messagev1.MarkReadRequest{SourceMessageId: fmt.Sprintf("mark-%d", n), Username: user})
				n++
				if err == nil && answer.GetSwitched() != 1 {
					return fmt.Errorf("a mark read switched %d records", answer.GetSwitched())
				}
				return err
			})
		}
	}
	var err error
	row.Hub, row.Baseline, err = measure.Alternate(r.env.Rounds, mark("large"), mark("few"))
	return row, err
}
