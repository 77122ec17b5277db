package stream

import (
	"cmp"
	"context"
	"time"
)

// Claim says that a user's stream is at this edge. Of a user's claims the one with the highest time
// is the newest, and then the one with the highest stream.
type Claim struct {
	User string
	// Stream is a random number that no other stream has; not 0.
	Stream uint64
	// Time is when the stream began, in microseconds since 1970 by the clock that all replicas share,
	// as long as there is one.
	Time int64
	// Age is how long ago the stream began, for a claim that has no time yet.
	Age time.Duration
	// After is the stream that this one replaced at its own edge, if others may know that one's claim;
	// otherwise 0. The claim is newer than that one, whatever the clocks say.
	After uint64
	// Replaced is how often the user's stream was replaced in the last two minutes or so.
	Replaced int
}

// newer tells whether c is a newer stream than d of the same user.
func (c Claim) newer(d Claim) bool {
	return cmp.Or(cmp.Compare(c.Time, d.Time), cmp.Compare(c.Stream, d.Stream)) > 0
}

// Claims keeps one stream per user across replicas (contract, Connection rules 1). Its calls take
// claims of different users and are best made in batches; each claim is decided for itself.
type Claims interface {
	// Claim turns each claim into the one that holds its user from now on: itself with a time, or a
	// newer one. What could not be decided keeps the time 0, and the error says why.
	Claim(ctx context.Context, claims []Claim) error
	// Reconcile renews claims, which run out otherwise. Each turns into the one that holds its user,
	// which is itself unless there is a newer one. What could not be decided stays as it is.
	Reconcile(ctx context.Context, claims []Claim) error
	// Release gives claims up, where they still hold.
	Release(ctx context.Context, claims []Claim) error
	// Subscribe calls newer for the claims of all replicas, as far as they are heard. It must not
	// block. When cancel returns, newer is not called any more.
	Subscribe(newer func(Claim)) (cancel func())
}

// claim is what a stream knows of its own claim.
type claim struct {
	id      uint64
	time    int64  // the edge's own clock until settled
	settled bool   // time is decided, if only by the edge alone
	asked   bool   // others may know of the claim
	after   uint64 // Claim.After
	rival   *Claim // the newest other claim that was heard while the own one was not settled
}
