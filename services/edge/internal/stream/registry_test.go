package stream_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"example.com/hub/services/edge/internal/stream"
)

// registry is what replicas share, with faults that the tests switch on.
type registry struct {
	mu       sync.Mutex
	owners   map[string]stream.Claim
	hear     []func(stream.Claim)
	calls    []string // "claim 3" and the like
	deaf     bool     // claims are not told
	away     error    // nothing is decided
	hang     bool     // calls take until their context ends
	mute     bool     // claims are decided, but the answer gets lost
	released []string
}

func newRegistry() *registry { return &registry{owners: map[string]stream.Claim{}} }

func (r *registry) set(change func(*registry)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r)
}

func (r *registry) takeCalls() (calls []string) {
	r.set(func(r *registry) { calls, r.calls = r.calls, nil })
	return calls
}

func (r *registry) owner(user string) (c stream.Claim) {
	r.set(func(r *registry) { c = r.owners[user] })
	return c
}

func (r *registry) takeReleased() (users []string) {
	r.set(func(r *registry) { users, r.released = r.released, nil })
	return users
}

// enter notes a call and fails it if it is to fail.
func (r *registry) enter(ctx context.Context, what string, n int) (unlock func(), failed error) {
	r.mu.Lock()
	if r.hang {
		r.mu.Unlock()
		<-ctx.Done()
		r.mu.Lock()
		return r.mu.Unlock, ctx.Err()
	}
	r.calls = append(r.calls, fmt.Sprint(what, " ", n))
	return r.mu.Unlock, r.away
}

func newer(c, d stream.Claim) bool {
	return c.Time > d.Time || c.Time == d.Time && c.Stream > d.Stream
}

// take makes c the owner and gives what is to be told.
func (r *registry) take(c stream.Claim) stream.Claim {
	old, ok := r.owners[c.User]
	c.Replaced, c.Age = 0, 0
	if ok {
		c.Replaced = old.Replaced + 1
	}
	r.owners[c.User] = c
	return c
}

func (r *registry) tell(told []stream.Claim) {
	r.mu.Lock()
	hear := r.hear
	if r.deaf {
		hear = nil
	}
	r.mu.Unlock()
	for _, c := range told {
		for _, newer := range hear {
			newer(c)
		}
	}
}

func (r *registry) Claim(ctx context.Context, claims []stream.Claim) error {
	unlock, err := r.enter(ctx, "claim", len(claims))
	var told []stream.Claim
	for i, c := range claims {
		if err != nil {
			break
		}
		c.Time = time.Now().Add(-c.Age).UnixMicro()
		owner, ok := r.owners[c.User]
		if ok && newer(owner, c) {
			claims[i] = owner
			continue
		}
		c = r.take(c)
		told = append(told, c)
		if r.mute {
			err = errors.New("the answer is lost")
			break
		}
		claims[i] = c
	}
	unlock()
	r.tell(told)
	return err
}

func (r *registry) Reconcile(ctx context.Context, claims []stream.Claim) error {
	unlock, err := r.enter(ctx, "reconcile", len(claims))
	var told []stream.Claim
	for i, c := range claims {
		if err != nil {
			break
		}
		owner, ok := r.owners[c.User]
		if ok && (owner.Stream == c.Stream || newer(owner, c)) {
			claims[i] = owner
			continue
		}
		claims[i] = r.take(c)
		told = append(told, claims[i])
	}
	unlock()
	r.tell(told)
	return err
}

func (r *registry) Release(ctx context.Context, claims []stream.Claim) error {
	unlock, err := r.enter(ctx, "release", len(claims))
	defer unlock()
	for _, c := range claims {
		if err == nil && r.owners[c.User].Stream == c.Stream {
			delete(r.owners, c.User)
			r.released = append(r.released, c.User)
		}
	}
	return err
}

func (r *registry) Subscribe(newer func(stream.Claim)) (cancel func()) {
	r.set(func(r *registry) { r.hear = append(r.hear, newer) })
	return func() {}
}
