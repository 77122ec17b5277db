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
	// sharedTodos is how many todos they have in common.
	sharedTodos = 160
	// hurry is how long a caller waits at most that leaves.
	hurry = 20 * time.Millisecond
)

// throng is callers that all write at once, in waves: todos, messages and mark-reads, among
// them what must be refused, and calls whose caller leaves. Nobody repeats a call.
type throng struct {
	// portals are those of each client.
	portals map[string][]*portal
	users   []string
	// wave is how often they write; 0 is all the time.
	wave    time.Duration
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
	for range throngSize {
		writing.Go(func() {
			for ctx.Err() == nil {
				th.write(calls)
				lifecycle.Sleep(ctx, time.Until(time.Now().Truncate(th.wave).Add(th.wave)))
			}
		})
	}
	writing.Wait()
}

// write makes one call. One in ten is not waited for.
func (th *throng) write(ctx context.Context) {
	leaves := rand.IntN(10) == 0
	if leaves {
		var leave context.CancelFunc
		ctx, leave = context.WithTimeout(ctx, rand.N(hurry))
		defer leave()
	}
	var answered bool
	switch n := rand.IntN(10); {
	case n < 5:
		answered = th.report(ctx)
	case n < 8:
		answered = th.push(ctx)
	default:
		answered = th.read(ctx)
	}
	if !answered && !leaves {
		lifecycle.Sleep(ctx, repeatAfter)
	}
}

// of is the client of the n-th thing.
func of(n int64) (client string) {
	if n%4 == 0 {
		return "portal"
	}
	return "erp"
}

func anyone() (client string) { return of(rand.Int64N(4)) }

// as is a way for the calls of a client.
func (th *throng) as(client string) *portal {
	all := th.portals[client]
	return all[rand.IntN(len(all))]
}

func (th *throng) user(n int64) string { return th.users[n%int64(len(th.users))] }

// report upserts a todo: a new one, or one that others write at the same time.
func (th *throng) report(ctx context.Context) (answered bool) {
	client := anyone()
	id, user, source := th.shared(rand.Int64N(sharedTodos))
	var u *upsert
	switch n := rand.IntN(10); {
	case n < 4:
		u = th.witness.create(user, client)
	case n == 4:
		u = th.witness.replace(id, user, source, client, "javascript:alert(1)")
	case n == 5:
		u = th.witness.outdated(id, client)
	}
	if u == nil {
		u = th.witness.replace(id, user, source, client, "/1")
	}
	r, err := th.as(client).send(ctx, http.MethodPost, "/todo-hub/todos?view=full", u.body())
	th.witness.upserted(u, r, err)
	return err == nil
}

// shared is the n-th todo that all have in common, and the client whose it is.
func (th *throng) shared(n int64) (id, user, source string) {
	return fmt.Sprintf("shared-%d", n), th.user(n), of(n)
}

// push pushes a message: a new one, or one that another caller pushes, too.
func (th *throng) push(ctx context.Context) (answered bool) {
	n := th.recent(throngSize)
	if rand.IntN(5) > 0 {
		n = th.messages.Add(1)
	}
	id, user, client := messageID(n), th.user(n), of(n)
	call := th.witness.push(id, user, client, rand.IntN(8) == 0)
	sent := time.Now()
	r, err := th.as(client).send(ctx, http.MethodPost, "/message-hub/messages", call.body())
	if th.witness.pushed(call, r, err) {
		th.ledger.answered(deed{kind: "message", id: id, users: []string{user}, sent: sent, answered: time.Now()})
	}
	return err == nil
}

func messageID(n int64) (id string) { return fmt.Sprintf("message-%d", n) }

// recent is one of the last messages, which may be under way, or none yet.
func (th *throng) recent(last int64) (n int64) { return max(0, th.messages.Load()-rand.Int64N(last)) }

// read marks a message as read, mostly by its user, and by whatever client.
func (th *throng) read(ctx context.Context) (answered bool) {
	n := th.recent(8 * throngSize)
	id, user, by := messageID(n), th.user(n), th.user(n)
	if rand.IntN(8) == 0 {
		by = th.user(n + 1)
	}
	call := th.witness.markRead(id, by)
	if call == nil {
		return true
	}
	sent := time.Now()
	r, err := th.as(anyone()).send(ctx, http.MethodPost, "/message-hub/messages/"+id+"/read?username="+url.QueryEscape(by), nil)
	if th.witness.marked(call, r, err) {
		th.ledger.answered(deed{kind: "read", id: id, users: []string{user}, sent: sent, answered: time.Now()})
	}
	return err == nil
}
