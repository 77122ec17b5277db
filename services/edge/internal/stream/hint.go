package stream

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"example.com/hub/pkg/lifecycle"
	"example.com/hub/services/edge/internal/ring"
)

const (
	// maxHints is how many users' newest records are asked for at a time.
	maxHints = 50
	// The pause after a failed question doubles between these while messagehub stays away.
	minPause = 250 * time.Millisecond
	maxPause = 5 * time.Second
)

// Inbox tells what is newest in a user's inbox.
type Inbox interface {
	// Newest gives the id of the user's newest record, or "" when there is none. With ErrNoAnswer
	// it is of no use to ask again.
	Newest(ctx context.Context, user string) (id string, err error)
}

// ErrNoAnswer says that the newest record cannot be told, now or later.
var ErrNoAnswer = errors.New("the newest record cannot be told")

// hinter has the sessions that wait for the id of their user's newest record: what the client saw last
// is not known here, so a true event tells it to look for itself.
type hinter struct {
	ring    *ring.Ring
	deps    *Deps
	failing atomic.Bool   // the last question had no answer
	wake    chan struct{} // capacity 1

	mu      sync.Mutex
	waiting map[*session]*replay
}

func newHinter(r *ring.Ring, d *Deps) *hinter {
	return &hinter{ring: r, deps: d, wake: make(chan struct{}, 1), waiting: map[*session]*replay{}}
}

// add has a replay begin with the hint.
func (h *hinter) add(s *session, r *replay) {
	h.mu.Lock()
	h.waiting[s] = r
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

func (h *hinter) remove(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.waiting, s)
}

// take gives a replay that waits, or nil.
func (h *hinter) take() *replay {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s, r := range h.waiting {
		delete(h.waiting, s)
		return r
	}
	return nil
}

// run answers the sessions that wait, until ctx ends.
func (h *hinter) run(ctx context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	places := make(chan struct{}, maxHints)
	for {
		select {
		case <-h.wake:
		case <-ctx.Done():
			return
		}
		for r := h.take(); r != nil; r = h.take() {
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				return
			}
			workers.Go(func() {
				defer func() { <-places }()
				h.hint(ctx, r)
			})
		}
	}
}

// hint asks until there is an answer, or until the stream or ctx ends.
func (h *hinter) hint(ctx context.Context, r *replay) {
	for pause := minPause; r.conn.Open(); pause = min(2*pause, maxPause) {
		covered := h.ring.End()
		id, err := h.deps.Inbox.Newest(ctx, r.user)
		switch {
		case err == nil:
			h.failing.Store(false)
			r.begin(id, covered, h.deps.Clock())
			return
		case ctx.Err() != nil:
			return
		}
		if !h.failing.Swap(true) {
			h.deps.Logger.WarnContext(ctx, "newest records are not told", slog.Any("error", err))
		}
		if errors.Is(err, ErrNoAnswer) {
			r.begin("", covered, h.deps.Clock())
			return
		}
		if !lifecycle.Sleep(ctx, pause/2+rand.N(pause)) {
			return
		}
	}
}
