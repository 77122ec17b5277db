package outbox

import (
	"context"
	"log/slog"
	"time"

	"example.com/hub/pkg/bus"
)

const (
	// windowRows bounds what one look at the log reads. A row that is missed behind so many that are
	// heard but not final has to wait until they are.
	windowRows = 10_000
	// sweepEvents bounds what is announced before the sweep waits to hear of it.
	sweepEvents = 10_000
	// releaseTimeout ends the release of the lease when the database is away.
	releaseTimeout = time.Second
	// minWait keeps a process from asking for the lease all the time.
	minWait = 10 * time.Millisecond
)

// Run sweeps until ctx ends, whenever this process has the lease. It returns nil.
func (o *Outbox) Run(ctx context.Context) error {
	if o.deps.Log == nil {
		<-ctx.Done()
		return nil
	}
	cancel := o.deps.Subscriber.Subscribe(bus.Handler{Frame: o.heard.hear})
	defer cancel()
	next := time.NewTimer(0)
	defer next.Stop()
	for {
		select {
		case <-next.C:
			next.Reset(o.turn(ctx))
		case <-ctx.Done():
			o.release(ctx)
			return nil
		}
	}
}

func (o *Outbox) release(ctx context.Context) {
	if !o.leading.Swap(false) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	if err := o.deps.Log.Release(ctx, o.id, o.settled); err != nil {
		o.deps.Logger.WarnContext(ctx, "sweep lease not released", slog.Any("error", err))
	}
}

// turn asks for the lease, does what the leader has to do, and tells how long to wait.
func (o *Outbox) turn(ctx context.Context) (wait time.Duration) {
	began := time.Now()
	lease, err := o.deps.Log.Hold(ctx, HoldParams{Holder: o.id, For: o.deps.Lease, Settled: o.settled})
	if err != nil {
		o.leading.Store(false)
		o.note(ctx, err)
		return o.deps.Interval
	}
	o.settle(lease.Settled)
	if held := o.leading.Swap(lease.Held); !held {
		// What the log is like from now on is this process's to tell.
		o.due.Store(began.UnixNano())
	}
	if !lease.Held {
		o.note(ctx, nil)
		return max(minWait, min(lease.Left, o.deps.Interval))
	}
	o.note(ctx, o.lead(ctx, began))
	return max(0, o.deps.Interval-time.Since(began))
}

// note counts an error and logs the first one of a row of them.
func (o *Outbox) note(ctx context.Context, err error) {
	switch {
	case err == nil && o.failing:
		o.deps.Logger.InfoContext(ctx, "events are swept again")
	case err != nil && ctx.Err() != nil:
		return
	case err != nil && !o.failing:
		o.deps.Logger.WarnContext(ctx, "events are not swept", slog.Any("error", err))
	}
	o.failing = err != nil
	if err != nil {
		o.faults.Add(1)
	}
}

// lead sweeps, publishes the watermark, which also shows every listener that the bus works, and deletes
// old rows.
func (o *Outbox) lead(ctx context.Context, began time.Time) error {
	for {
		more, err := o.sweep(ctx)
		if err != nil {
			return err
		}
		if !more || time.Since(began) >= o.deps.Interval {
			break
		}
	}
	if !o.settled.IsZero() {
		o.deps.Publisher.Publish(ctx, bus.Frame{Watermark: o.settled})
	}
	return o.trim(ctx, began.Add(o.deps.Interval))
}

// sweep looks at the rows after the settled position once: it announces those that nobody heard of,
// and settles those that were heard. It tells whether to look again at once.
//
// A row is settled only when it was heard and no row before it can be committed any more. So the
// settled position is a low watermark: whoever heard it on the bus, without a gap, heard every row below it.
func (o *Outbox) sweep(ctx context.Context) (more bool, err error) {
	w, err := o.deps.Log.Rows(ctx, o.settled, windowRows)
	if err != nil {
		return false, err
	}
	if o.settled.Transaction > w.End {
		// The database was restored elsewhere. Compared with this position, all its rows are old.
		o.deps.Logger.WarnContext(ctx, "event position is not of this database, sweeping from the start",
			slog.Uint64("position", o.settled.Transaction), slog.Uint64("end", w.End))
		o.settle(bus.Position{})
		return true, nil
	}
	before := o.settled
	rest := o.settleHeard(&w, w.Rows)
	missing, left := o.missing(rest)
	if err := o.announce(ctx, missing); err != nil {
		return false, err
	}
	rest = o.settleHeard(&w, rest)
	full := len(w.Rows) == windowRows
	if len(rest) == 0 && !full || len(rest) > 0 && !w.final(rest[0]) {
		o.settle(w.Watermark)
	}
	o.oldest.Store(0)
	if len(rest) > 0 {
		o.oldest.Store(time.Now().Add(-rest[0].Age).UnixNano())
	}
	return !o.deaf && (left || full && o.settled != before), nil
}

// settleHeard settles rows from the front on, and gives the others.
func (o *Outbox) settleHeard(w *Window, rows []Row) (rest []Row) {
	n := 0
	for n < len(rows) && w.final(rows[n]) && o.heard.whole(rows[n]) {
		n++
	}
	if n > 0 {
		o.settle(rows[n-1].Position)
	}
	return rows[n:]
}

func (o *Outbox) settle(p bus.Position) {
	o.settled = p
	o.heard.settle(p)
}

// missing gives the rows to announce, and whether more are left. While the bus is away, one row at a
// time finds out when it is back.
func (o *Outbox) missing(rows []Row) (missing []Row, left bool) {
	events := 0
	for _, r := range rows {
		if r.Age < o.deps.Patience || o.heard.whole(r) {
			continue
		}
		if len(missing) > 0 && (o.deaf || events+r.Events > sweepEvents) {
			return missing, true
		}
		missing = append(missing, r)
		events += r.Events
	}
	return missing, false
}

// announce publishes the rows and waits to hear of them.
func (o *Outbox) announce(ctx context.Context, rows []Row) error {
	if len(rows) == 0 {
		o.deaf = false
		return nil
	}
	frames, err := o.deps.Log.Events(ctx, rows)
	if err != nil {
		return err
	}
	for i, f := range frames {
		o.deps.Publisher.Publish(ctx, f)
		for part := bus.Parts(len(f.Events)); part < bus.Parts(rows[i].Events); part++ {
			// Records were deleted, so nobody will ever hear of them.
			o.heard.hear(bus.Frame{Position: f.Position, Part: part})
		}
	}
	o.swept.Add(uint64(len(rows)))
	o.deaf = !o.heard.wait(ctx, rows, o.deps.Patience)
	return nil
}
