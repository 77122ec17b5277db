package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"example.com/hub/pkg/lifecycle"
)

const (
	// throngSize is how many callers there are, each with one call at a time.
	throngSize = 64
	// sharedTodos is how many todos they have in common. Every eighth belongs to another client.
	sharedTodos, foreignEvery = 160, 8
	// hurry is how long a caller waits at most that leaves.
	hurry = 20 * time.Millisecond
)

// throng is callers that all write at once, as fast as they are answered: todos, messages and mark-reads, among
// them what must be refused, and calls whose caller leaves. Nobody repeats a call.
type throng struct {
	portals []*portal
	users   []string
	witness *witness
	// ledger gets what users must hear of.
	ledger *ledger
	// messages is how many there are.
	messages atomic.Int64
}

// run writes until ctx ends, and returns when all calls are over.
func (th *throng) run(ctx context.Context) {
	calls := context.WithoutCancel(ctx)
	var writing sync.WaitGroup
	for n := range throngSize {
		writing.Go(func() {
			for ctx.Err() == nil {
				th.write(calls, th.portals[n%len(th.portals)])
			}
		})
	}
	writing.Wait()
}

// write makes one call. One in ten is not waited for.
func (th *throng) write(ctx context.Context, p *portal) {
	leaves := rand.IntN(10) == 0
	if leaves {
		var leave context.CancelFunc
		ctx, leave = context.WithTimeout(ctx, rand.N(hurry))
		defer leave()
	}
	var answered bool
	switch n := rand.IntN(10); {
	case n < 5:
		answered = th.report(ctx, p)
	case n < 8:
		answered = th.push(ctx, p)
	default:
		answered = th.read(ctx, p)
	}
	if !answered && !leaves {
		lifecycle.Sleep(ctx, repeatAfter)
	}
}

// report upserts a todo: a new one, or one that others write at the same time.
func (th *throng) report(ctx context.Context, p *portal) (answered bool) {
	id, user, source := th.shared(rand.IntN(sharedTodos))
	var u *upsert
	switch n := rand.IntN(10); {
	case n < 4:
		u = th.witness.create(th.anyone())
	case n == 4:
		u = th.witness.replace(id, user, source, "javascript:alert(1)")
	case n == 5:
		u = th.witness.outdated(id)
	}
	if u == nil {
		u = th.witness.replace(id, user, source, "/1")
	}
	r, err := p.send(ctx, http.MethodPost, "/todo-hub/todos?view=full", u.body())
	th.witness.upserted(u, r, err)
	return err == nil
}

// shared is the n-th todo that all have in common.
func (th *throng) shared(n int) (id, user, source string) {
	source = "erp"
	if n%foreignEvery == 0 {
		source = "portal"
	}
	return fmt.Sprintf("shared-%d", n), th.users[n%len(th.users)], source
}

func (th *throng) anyone() string { return th.users[rand.IntN(len(th.users))] }

// push pushes a message: a new one, or one that another caller pushes, too.
func (th *throng) push(ctx context.Context, p *portal) (answered bool) {
	id, user := th.recent(throngSize)
	if rand.IntN(5) > 0 {
		id, user = th.message(th.messages.Add(1))
	}
	call := th.witness.push(id, user, rand.IntN(8) == 0)
	sent := time.Now()
	r, err := p.send(ctx, http.MethodPost, "/message-hub/messages", call.body())
	if th.witness.pushed(call, r, err) {
		th.ledger.answered(deed{kind: "message", id: id, users: []string{user}, sent: sent, answered: time.Now()})
	}
	return err == nil
}

// message is the n-th.
func (th *throng) message(n int64) (id, user string) {
	return fmt.Sprintf("message-%d", n), th.users[n%int64(len(th.users))]
}

// recent is one of the last n messages, which may be under way, or none yet.
func (th *throng) recent(n int64) (id, user string) {
	return th.message(max(0, th.messages.Load()-rand.Int64N(n)))
}

// read marks a message as read, mostly by its user.
func (th *throng) read(ctx context.Context, p *portal) (answered bool) {
	id, user := th.recent(8 * throngSize)
	by := user
	if rand.IntN(8) == 0 {
		by = th.anyone()
	}
	call := th.witness.markRead(id, by)
	if call == nil {
		return true
	}
	sent := time.Now()
	r, err := p.send(ctx, http.MethodPost, "/message-hub/messages/"+id+"/read?username="+url.QueryEscape(by), nil)
	if th.witness.marked(call, r, err) {
		th.ledger.answered(deed{kind: "read", id: id, users: []string{user}, sent: sent, answered: time.Now()})
	}
	return err == nil
}
