package scenario

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/test/bench/internal/measure"
	"example.com/hub/test/bench/internal/plot"
	"example.com/hub/test/bench/internal/report"
	"example.com/hub/test/bench/internal/stage"
)

// reader reads and marks inboxes as a portal does, one call at a time.
type reader struct {
	hub   messagev1.MessageServiceClient
	calls context.Context //nolint:containedctx // it carries the token of all calls
	// first and deep are the first page and the one at deepOffset, which are other statements.
	first, deep pageRows
	env         Env
	sizes       inboxSizes
}

// runInbox measures scenarios 11, 12 and 16.
func runInbox(ctx context.Context, e Env, home string, r *Result) error {
	s, err := stage.Start(ctx, e.Bin, home)
	if err != nil {
		return err
	}
	defer s.Stop()
	conn, calls, err := s.Calls(ctx, s.Messagehub)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	db, err := pgx.Connect(ctx, s.Database("messagehub"))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close(context.WithoutCancel(ctx)) }()
	in := reader{
		hub: messagev1.NewMessageServiceClient(conn), calls: calls, env: e,
		sizes: inboxSizes{small: 100, medium: e.size(10_000, 1_000), large: e.size(1_000_000, 5_000)},
	}
	if err := fillInboxes(ctx, db, in.sizes); err != nil {
		return err
	}
	in.first, err = newPageRows(ctx, db, "first", func() error { return in.list("small", in.sizes.small, 0) })
	if err != nil {
		return err
	}
	in.deep, err = newPageRows(ctx, db, "deep", func() error { return in.list("large", in.sizes.large, in.deepOffset()) })
	if err != nil {
		return err
	}
	services := []stage.Service{s.Services["messagehub"]}
	r.part(ctx, "11a 11b 11c 11d 11e", services, func() ([]report.Row, []plot.Chart, error) { return in.bySize(ctx) })
	r.part(ctx, "11f", services, func() ([]report.Row, []plot.Chart, error) {
		row, err := in.manyUnread()
		return []report.Row{row}, nil, err
	})
	r.part(ctx, "12a", services, func() ([]report.Row, []plot.Chart, error) {
		row, err := in.deepPage(ctx)
		return []report.Row{row}, nil, err
	})
	r.part(ctx, "12b", services, func() ([]report.Row, []plot.Chart, error) {
		row, err := in.marks()
		return []report.Row{row}, nil, err
	})
	r.part(ctx, "16a 16b 16c", services, func() ([]report.Row, []plot.Chart, error) {
		rows, err := in.walks()
		return rows, nil, err
	})
	return nil
}

// figures are milliseconds of one inbox.
type figures struct {
	user    string
	records int
	// rows and total are the server's time for the rows of the first page, and for all of it.
	rows, total measure.Samples
	// unread and whole are calls: the unread count, and the first page.
	unread, whole measure.Samples
	// blocks is what the rows of the page look at in the database.
	blocks int
}

// bySize measures scenario 11 but for its last row.
func (in reader) bySize(ctx context.Context) ([]report.Row, []plot.Chart, error) {
	inboxes := []*figures{
		{user: "small", records: in.sizes.small},
		{user: "medium", records: in.sizes.medium},
		{user: "large", records: in.sizes.large},
	}
	for _, i := range inboxes {
		var err error
		if i.blocks, err = in.first.check(ctx, i.user, 0); err != nil {
			return nil, nil, err
		}
	}
	for range in.env.Rounds {
		if err := in.round(ctx, inboxes); err != nil {
			return nil, nil, err
		}
	}
	small := inboxes[0]
	var rows []report.Row
	for n, i := range inboxes[1:] {
		rows = append(rows, report.Row{
			ID: "11" + string(rune('a'+2*n)), Scenario: fmt.Sprintf("rows of the first page: %d records against %d", i.records, small.records), Unit: "ms",
			Hub: i.rows, Baseline: small.rows, Target: report.RatioAtMost(1.5),
			Note: fmt.Sprintf("PostgreSQL's own time; it looks at %d blocks against %d", i.blocks, small.blocks),
		}, report.Row{
			ID: "11" + string(rune('b'+2*n)), Scenario: fmt.Sprintf("unread count of %d: %d records against %d", unreadEach, i.records, small.records), Unit: "ms",
			Hub: i.unread, Baseline: small.unread, Target: report.RatioAtMost(1.5), Note: "the whole call",
		})
	}
	large := inboxes[2]
	rows = append(rows, report.Row{
		ID: "11e", Scenario: fmt.Sprintf("first page with the exact total of %d records, the whole call", large.records), Unit: "ms",
		Hub: large.whole, Target: report.AtMost(100), Note: fmt.Sprintf("of which PostgreSQL takes %.1f ms", large.total.Median()),
	})
	return rows, []plot.Chart{sizeChart(inboxes)}, nil
}

func sizeChart(inboxes []*figures) plot.Chart {
	chart := plot.Chart{
		Name: "inbox", Title: "Reading an inbox", X: "records of the user", Y: "time, ms",
		Series: []plot.Series{
			{Name: "first page with its exact total, the whole call"},
			{Name: fmt.Sprintf("unread count of %d, the whole call", unreadEach)},
			{Name: "rows of the first page, in PostgreSQL"},
		},
	}
	for _, i := range inboxes {
		for j, samples := range []measure.Samples{i.whole, i.unread, i.rows} {
			chart.Series[j].Points = append(chart.Series[j].Points, plot.Point{X: float64(i.records), Y: samples.Median()})
		}
	}
	return chart
}

// round takes one value of each figure of each inbox.
func (in reader) round(ctx context.Context, inboxes []*figures) error {
	type take = func() (float64, error)
	var rows, totals, wholes, counts []take
	for _, i := range inboxes {
		rows = append(rows, in.first.milliseconds(ctx, rowsAlone, i.user, 0))
		totals = append(totals, in.first.milliseconds(ctx, wholePage, i.user, 0))
		wholes = append(wholes, measure.Timed(func() error { return in.list(i.user, i.records, 0) }))
		counts = append(counts, measure.Timed(func() error { return in.unread(i.user, unreadEach) }))
	}
	for _, figure := range []struct {
		n    int
		from []take
		into func(*figures) *measure.Samples
	}{
		{in.env.size(100, 3), rows, func(f *figures) *measure.Samples { return &f.rows }},
		{in.env.size(15, 3), totals, func(f *figures) *measure.Samples { return &f.total }},
		{in.env.size(15, 3), wholes, func(f *figures) *measure.Samples { return &f.whole }},
		{in.env.size(200, 5), counts, func(f *figures) *measure.Samples { return &f.unread }},
	} {
		medians, err := measure.Interleave(figure.n, figure.from...)
		if err != nil {
			return err
		}
		for n, i := range inboxes {
			into := figure.into(i)
			*into = append(*into, medians[n])
		}
	}
	return nil
}

// list reads the page at an offset of a user who has so many records.
func (in reader) list(user string, records, offset int) error {
	page := int64(offset / 20)
	answer, err := in.hub.ListInbox(in.calls, &messagev1.ListInboxRequest{Username: &user, Page: &page})
	if err == nil && int(answer.GetTotalCount()) != records {
		return fmt.Errorf("%s has %d records, want %d", user, answer.GetTotalCount(), records)
	}
	return err
}

// unread counts the unread records of a user who has so many.
func (in reader) unread(user string, records int) error {
	answer, err := in.hub.CountUnread(in.calls, &messagev1.CountUnreadRequest{Username: user})
	if err == nil && int(answer.GetCount()) != records {
		return fmt.Errorf("%s has %d unread records, want %d", user, answer.GetCount(), records)
	}
	return err
}

// manyUnread measures the count of a user who reads nothing.
func (in reader) manyUnread() (report.Row, error) {
	row := report.Row{
		ID: "11f", Scenario: fmt.Sprintf("unread count of %d unread, the whole call", in.sizes.medium), Unit: "ms", Target: report.AtMost(2),
	}
	var err error
	row.Hub, err = measure.Repeat(in.env.Rounds, func() (float64, error) {
		took, err := measure.Interleave(in.env.size(200, 5), measure.Timed(func() error { return in.unread("unread", in.sizes.medium) }))
		if err != nil {
			return 0, err
		}
		return took[0], nil
	})
	return row, err
}

// deepOffset is how many records are in front of the deep page.
func (in reader) deepOffset() int { return in.env.size(10_000, 1_000) }

// deepPage measures the page at deepOffset.
func (in reader) deepPage(ctx context.Context) (report.Row, error) {
	offset := in.deepOffset()
	row := report.Row{
		ID: "12a", Scenario: fmt.Sprintf("rows of the page at offset %d of %d, against the first", offset, in.sizes.large), Unit: "ms",
		Target: report.RatioAtMost(15),
	}
	deep, err := in.deep.check(ctx, "large", offset)
	if err != nil {
		return row, err
	}
	first, err := in.first.check(ctx, "large", 0)
	if err != nil {
		return row, err
	}
	for range in.env.Rounds {
		took, err := measure.Interleave(in.env.size(100, 3),
			in.deep.milliseconds(ctx, rowsAlone, "large", offset), in.first.milliseconds(ctx, rowsAlone, "large", 0))
		if err != nil {
			return row, err
		}
		row.Hub, row.Baseline = append(row.Hub, took[0]), append(row.Baseline, took[1])
	}
	row.Note = fmt.Sprintf("PostgreSQL's own time; it looks at %d blocks against %d", deep, first)
	return row, nil
}

// marks measures mark-read of the user with the large inbox and of one with as many unread messages
// and nothing else.
func (in reader) marks() (report.Row, error) {
	each := in.env.size(100, 5)
	row := report.Row{
		ID: "12b", Scenario: fmt.Sprintf("mark read in an inbox of %d records, against one of %d", in.sizes.large, each*in.env.Rounds), Unit: "ms",
		Target: report.RatioAtMost(1.5), Note: "the whole call, with its commit on disk",
	}
	for n := range each * in.env.Rounds {
		_, err := in.hub.PushMessage(in.calls, &messagev1.PushMessageRequest{
			SourceMessageId: fmt.Sprintf("mark-%d", n), TargetUsernames: []string{"large", "few"}, Title: title, Content: content(contentSize),
		})
		if err != nil {
			return row, err
		}
	}
	mark := func(user string) func() (float64, error) {
		n := 0
		return measure.Timed(func() error {
			answer, err := in.hub.MarkRead(in.calls, &messagev1.MarkReadRequest{SourceMessageId: fmt.Sprintf("mark-%d", n), Username: user})
			n++
			if err == nil && answer.GetSwitched() != 1 {
				return fmt.Errorf("a mark read switched %d records", answer.GetSwitched())
			}
			return err
		})
	}
	large, few := mark("large"), mark("few")
	for range in.env.Rounds {
		took, err := measure.Interleave(each, large, few)
		if err != nil {
			return row, err
		}
		row.Hub, row.Baseline = append(row.Hub, took[0]), append(row.Baseline, took[1])
	}
	return row, nil
}
