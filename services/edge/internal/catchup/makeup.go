package catchup

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/lifecycle"
)

const (
	// The pause after a failed call doubles between these while messagehub stays away.
	minPause = 100 * time.Millisecond
	maxPause = 5 * time.Second
	// maxRecent is as far back as the log answers without a position.
	maxRecent = 10 * time.Minute
)

var errStuck = errors.New("the list of events does not go on")

// Run makes up for gaps until ctx ends, one at a time.
func (f *Feed) Run(ctx context.Context) error {
	for {
		select {
		case <-f.wake:
			f.makeUp(ctx)
		case <-ctx.Done():
			return nil
		}
	}
}

// makeUp lists what was missed until nothing is left, however often that takes.
func (f *Feed) makeUp(ctx context.Context) {
	failing, refused := false, false
	for pause := minPause; f.isBroken(); {
		err := f.list(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			f.count(func(s *Stats) { s.Refused = false })
			continue
		case errors.Is(err, ErrNoLog):
			f.giveUp()
			return
		}
		was := refused
		refused = errors.Is(err, ErrRefused)
		f.count(func(s *Stats) { s.Failed++; s.Refused = refused })
		switch {
		case refused && !was:
			// Streams go on with what the bus brings, but what it loses is lost.
			f.deps.Logger.ErrorContext(ctx, "missed events cannot be caught up: check HUB_INTERNAL_KEY_FILE and the certificates of this edge and of messagehub", slog.Any("error", err))
		case !failing:
			f.deps.Logger.WarnContext(ctx, "missed events are not caught up yet", slog.Any("error", err))
		}
		failing = true
		if !lifecycle.Sleep(ctx, pause/2+rand.N(pause)) {
			return
		}
		pause = min(2*pause, maxPause)
	}
	if failing {
		f.deps.Logger.InfoContext(ctx, "missed events are caught up")
	}
}

// list goes once through the log, from the position that is sure. It ends early when another gap
// comes: what is missed then may lie before what was listed.
func (f *Feed) list(ctx context.Context) error {
	gaps, from := f.missing()
	after, watermark := from, bus.Position{}
	for first := true; ; first = false {
		page, err := f.deps.Log.Events(ctx, after, f.recent())
		if err != nil {
			return err
		}
		if first {
			watermark = page.Watermark
			f.checkOrigin(from, watermark)
		}
		for _, frame := range page.Frames {
			if !f.catchUp(frame, gaps) {
				return nil
			}
		}
		switch {
		case !page.More:
			f.finish(gaps, watermark)
			return nil
		case page.Next.Compare(after) == 0:
			return errStuck
		}
		after = page.Next
	}
}

func (f *Feed) isBroken() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.broken
}

// missing tells which gap is to be made up for, and from where.
func (f *Feed) missing() (gaps uint64, from bus.Position) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.gaps, f.sure
}

// recent counts only while no position is known, as when messagehub was away since the start.
func (f *Feed) recent() time.Duration {
	return min(f.deps.Recent+time.Since(f.started), maxRecent)
}

// checkOrigin forgets what was seen when the log lies behind it: the database was restored, and its
// positions come a second time.
func (f *Feed) checkOrigin(from, watermark bus.Position) {
	if !watermark.IsZero() && watermark.Compare(from) < 0 {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.seen.forget()
	}
}

// catchUp hands a listed frame over; it is false when another gap has come.
func (f *Feed) catchUp(frame bus.Frame, gaps uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gaps != gaps {
		return false
	}
	if f.handler != nil && len(frame.Events) > 0 {
		f.acceptLocked(frame, true)
	}
	return true
}

// finish ends the gap, unless another one has come. Before anything can be heard, all streams are handed
// what is listed, and so all have what lies below the watermark of the first answer. Later it is not sure
// of anything beyond what was heard: the subscription may have broken meanwhile without anybody having
// noticed, and streams that count on hearing were not handed what was listed.
func (f *Feed) finish(gaps uint64, watermark bus.Position) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gaps != gaps {
		return
	}
	f.broken = false
	if f.epoch == 0 && !watermark.IsZero() {
		f.sure = watermark
	}
	if f.handler != nil {
		f.handler.Whole()
	}
	f.releaseLocked()
}

// giveUp ends the gap without what was missed.
func (f *Feed) giveUp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = false
	if f.handler != nil {
		f.handler.Lost()
	}
	f.releaseLocked()
}

func (f *Feed) count(change func(*Stats)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.stats)
}
