package token

import (
	"context"
	"sync"
	"time"
)

const (
	// discoverTimeout leaves time for the token request itself.
	discoverTimeout = 2 * time.Second
	// discoverEvery is how long a found endpoint is taken for current, since a provider may move it.
	discoverEvery = 5 * time.Minute
	// A discovery that failed is repeated after firstRetry, then ever later up to lastRetry.
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

// endpoint is the address of a provider's token endpoint, found when it is first asked for. One
// request at a time looks for it. While it is looked for anew, and while the provider's metadata is
// away, the last address stays in use.
type endpoint struct {
	discover func(ctx context.Context) (string, error)
	clock    func() time.Time

	mu      sync.Mutex
	address string
	err     error // of the latest discovery
	due     time.Time
	retry   time.Duration
	looking chan struct{} // closed when the discovery under way ends; nil when none is
}

// find gives the address. Only a request without any address waits for the discovery of another one.
func (e *endpoint) find(ctx context.Context) (string, error) {
	e.mu.Lock()
	if e.clock().Before(e.due) || e.looking != nil && e.address != "" {
		defer e.mu.Unlock()
		return e.known()
	}
	looking := e.looking
	if looking == nil {
		e.looking = make(chan struct{})
	}
	e.mu.Unlock()

	if looking == nil {
		e.look(ctx)
	} else {
		select {
		case <-looking:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known()
}

// known gives the address that was found last, or else why there is none.
func (e *endpoint) known() (string, error) {
	if e.address != "" {
		return e.address, nil
	}
	return "", e.err
}

// look discovers the endpoint. Others wait for it, so a caller that goes away does not end it.
func (e *endpoint) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discoverTimeout)
	defer cancel()
	address, err := e.discover(ctx)

	e.mu.Lock()
	defer e.mu.Unlock()
	close(e.looking)
	e.looking = nil
	e.err = err
	if err != nil {
		e.retry = min(max(2*e.retry, firstRetry), lastRetry)
		e.due = e.clock().Add(e.retry)
		return
	}
	e.address, e.retry = address, 0
	e.due = e.clock().Add(discoverEvery)
}
