package todohub

import (
	"context"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/lifecycle"
)

// startAfter is how long the database has to end what a process before this one has sent to it.
const startAfter = 2 * time.Second

// AnnounceStart tells once, some seconds after the start, that changes may have gone unheard: those that a
// process before this one had committed and not announced when it died. It is for a hub whose listeners
// outlive it.
func AnnounceStart(ctx context.Context, p bus.Publisher) error {
	if lifecycle.Sleep(ctx, startAfter) {
		p.Publish(ctx, bus.AnyTodo(time.Now()))
	}
	return nil
}
