package chaos

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"example.com/hub/pkg/lifecycle"
)

const (
	// patience is how long an integrator repeats a call until it is answered with 200, and
	// repeatAfter how long it waits in between.
	patience    = 30 * time.Second
	repeatAfter = 100 * time.Millisecond
)

// load pushes messages at a steady rate, however long the answers take, and marks some of them read.
type load struct {
	portals []*portal // in turns
	users   []string  // in turns
	ledger  *ledger
	// name is a part of the message ids, which must differ from load to load.
	name string
	// rate is in pushes a second.
	rate int
	// targets is the number of users of a push.
	targets int
	// todos says that it reports todos, each to one user and then to another, and pushes nothing.
	todos bool
	// readEvery is how many pushes there are to one that the first of its users reads; 0 is no reads.
	readEvery int

	next atomic.Int64
}

// run pushes until ctx ends, and returns when all calls are over.
func (l *load) run(ctx context.Context) {
	calls := context.WithoutCancel(ctx)
	var pushing sync.WaitGroup
	defer pushing.Wait()
	tick := time.NewTicker(time.Second / time.Duration(l.rate))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			n := int(l.next.Add(1))
			pushing.Go(func() { l.deed(calls, n) })
		case <-ctx.Done():
			return
		}
	}
}

// deed makes the n-th push, and its read.
func (l *load) deed(ctx context.Context, n int) {
	p := l.portals[n%len(l.portals)]
	if l.todos {
		l.moveTodo(ctx, p, n)
		return
	}
	d := deed{kind: "message", id: fmt.Sprintf("%s-%d", l.name, n)}
	for i := range l.targets {
		d.users = append(d.users, l.users[(n*l.targets+i)%len(l.users)])
	}
	if !l.insist(ctx, d, func(ctx context.Context) error { return p.push(ctx, d.id, d.users) }) {
		return
	}
	if l.readEvery > 0 && n%l.readEvery == 0 {
		d.kind, d.users = "read", d.users[:1]
		l.insist(ctx, d, func(ctx context.Context) error { return p.read(ctx, d.id, d.users[0]) })
	}
}

// moveTodo reports the n-th todo to one user, and then to another, of which both are to hear.
func (l *load) moveTodo(ctx context.Context, p *portal, n int) {
	id, former, next := fmt.Sprintf("%s-%d", l.name, n), l.users[n%len(l.users)], l.users[(n+1)%len(l.users)]
	for _, d := range []deed{{kind: "todo", id: id, users: []string{former}}, {kind: "todo", id: id, users: []string{next, former}}} {
		if !l.insist(ctx, d, func(ctx context.Context) error { return p.report(ctx, id, d.users[0]) }) {
			return
		}
	}
}

// insist makes a call until it is answered with 200, or patience ends.
func (l *load) insist(ctx context.Context, d deed, call func(context.Context) error) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	d.sent = time.Now()
	for {
		err := call(ctx)
		if err == nil {
			d.answered = time.Now()
			l.ledger.answered(d)
			return true
		}
		l.ledger.failed(fmt.Errorf("%s %s: %w", d.kind, d.id, err))
		if !lifecycle.Sleep(ctx, repeatAfter) {
			return false
		}
	}
}
