package outbox

import (
	"context"
	"fmt"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/fault"
)

const (
	// listRows and listEvents bound an answer; a row is never cut.
	listRows, listEvents = 5000, 10_000
	// MaxRecent is how far back a list without a position can begin.
	MaxRecent = 10 * time.Minute
)

// ListRequest says from where to list.
type ListRequest struct {
	// After is the position before the first row; zero means the rows of the last Recent.
	After bus.Position
	// Recent is from 0 to MaxRecent.
	Recent time.Duration
}

// List is a part of the log for a listener that missed it.
type List struct {
	// Frames are in order, in the parts in which they are announced.
	Frames []bus.Frame
	// Next is where to go on: the last row of Frames while More is set, the watermark otherwise.
	Next bus.Position
	More bool
	// Watermark is that of the log, as of this answer.
	Watermark bus.Position
}

// List answers the changes after a position, those above the watermark included. Rows that are committed
// later at a place that was passed are announced later, too. Without a log it is empty. Faults:
// Invalid.
func (o *Outbox) List(ctx context.Context, r ListRequest) (List, error) {
	if r.Recent < 0 || r.Recent > MaxRecent {
		return List{}, fault.Newf(fault.Invalid, "recent_seconds must be from 0 to %d", int(MaxRecent.Seconds()))
	}
	if o.deps.Log == nil {
		return List{}, nil
	}
	list, err := o.list(ctx, r)
	if err != nil {
		return List{}, fmt.Errorf("list events: %w", err)
	}
	return list, nil
}

func (o *Outbox) list(ctx context.Context, r ListRequest) (List, error) {
	w, err := o.window(ctx, r)
	if err != nil {
		return List{}, err
	}
	rows, events := w.Rows, 0
	for i, row := range rows {
		if events += row.Events; i > 0 && events > listEvents {
			rows = rows[:i]
			break
		}
	}
	frames, err := o.deps.Log.Events(ctx, rows)
	if err != nil {
		return List{}, err
	}
	list := List{Next: w.Watermark, Watermark: w.Watermark}
	for _, f := range frames {
		for part := range f.Split() {
			list.Frames = append(list.Frames, part)
		}
	}
	if len(rows) < len(w.Rows) || len(w.Rows) == listRows {
		list.More, list.Next = true, rows[len(rows)-1].Position
	}
	return list, nil
}

// window reads the rows. For a position that the database has not reached, which is one of another
// database, it begins as far back as it can.
func (o *Outbox) window(ctx context.Context, r ListRequest) (Window, error) {
	if !r.After.IsZero() {
		w, err := o.deps.Log.Rows(ctx, r.After, listRows)
		if err != nil || r.After.Transaction <= w.End {
			return w, err
		}
		r.Recent = MaxRecent
	}
	after, err := o.deps.Log.Since(ctx, r.Recent)
	if err != nil {
		return Window{}, err
	}
	return o.deps.Log.Rows(ctx, after, listRows)
}
