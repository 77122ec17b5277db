// Package claim lets the replicas of the edge agree, through Redis, on who has a user's stream.
//
// A user's key names the newest stream, with the time at which it began by Redis's own clock. Every
// claim is told to all replicas on a channel, which may lose some; reconciling makes up for that. The
// key runs out when nobody renews it, and it is only ever lost with Redis: then the next Reconcile
// puts it back.
package claim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/hub/services/edge/internal/stream"
)

// Deps is what a Redis is made of. Fields left at zero take the value that their comment names.
type Deps struct {
	// Client is required and stays the caller's to close. It must heed context deadlines, as one of
	// package redis does.
	Client redis.UniversalClient
	// Name is the first part of the names of the keys and of the channel; hub.
	Name string
	// TTL is how long a claim holds that is not renewed. Required: three heartbeat intervals.
	TTL time.Duration
	// Silence is how long the subscription may hear nothing, not even the answer to a ping, before
	// its connection is replaced; 5 s.
	Silence time.Duration
	// Logger is slog.Default() when nil.
	Logger *slog.Logger
}

// Redis is the claims of streams in Redis. Commands touch one key each, so that they work in a Redis
// Cluster.
type Redis struct {
	deps    Deps
	channel string
	clock   clock
}

var _ stream.Claims = (*Redis)(nil)

// New makes claims. Redis need not be there yet.
func New(d Deps) (*Redis, error) {
	switch {
	case d.Client == nil:
		return nil, errors.New("claim: no client")
	case d.TTL < time.Millisecond:
		return nil, errors.New("claim: the TTL must be at least 1 ms")
	}
	d.Name = cmp.Or(d.Name, "hub")
	d.Logger = cmp.Or(d.Logger, slog.Default())
	return &Redis{deps: d, channel: d.Name + ":claims"}, nil
}

// key is the user's; the braces make the name alone decide the slot in a Redis Cluster.
func (r *Redis) key(user string) string { return r.deps.Name + ":own:{" + user + "}" }

func (r *Redis) ttl() int64 { return r.deps.TTL.Milliseconds() }

// Claim implements stream.Claims.
func (r *Redis) Claim(ctx context.Context, claims []stream.Claim) error {
	asked := time.Now()
	now := r.clock.now(ctx, r.deps.Client)
	took := time.Since(asked)
	return r.decide(ctx, claimScript, claims, func(c stream.Claim) []any {
		began := now.Add(-c.Age - took).UnixMicro()
		return []any{name(c.Stream), r.ttl(), r.channel, c.User, began, name(c.After)}
	})
}

// Reconcile implements stream.Claims.
func (r *Redis) Reconcile(ctx context.Context, claims []stream.Claim) error {
	return r.decide(ctx, reconcileScript, claims, func(c stream.Claim) []any {
		return []any{name(c.Stream), r.ttl(), r.channel, c.User, c.Time}
	})
}

// Release implements stream.Claims.
func (r *Redis) Release(ctx context.Context, claims []stream.Claim) error {
	cmds := r.run(ctx, releaseScript, claims, func(c stream.Claim) []any { return []any{name(c.Stream)} })
	var first error
	for _, c := range cmds {
		first = cmp.Or(first, c.Err())
	}
	if first != nil {
		return fmt.Errorf("release claims: %w", first)
	}
	return nil
}

// decide runs a script that answers with the value of the user's key.
func (r *Redis) decide(ctx context.Context, s *redis.Script, claims []stream.Claim, args func(stream.Claim) []any) error {
	var first error
	for i, c := range r.run(ctx, s, claims, args) {
		text, err := c.Text()
		if err == nil {
			_, err = decode(&claims[i], text)
		}
		first = cmp.Or(first, err)
	}
	if first != nil {
		return fmt.Errorf("decide claims: %w", first)
	}
	return nil
}

// run runs a script for each claim in one pipeline. Scripts that Redis does not know any more, as
// after a restart, are sent in a second one.
func (r *Redis) run(ctx context.Context, s *redis.Script, claims []stream.Claim, args func(stream.Claim) []any) []*redis.Cmd {
	cmds := make([]*redis.Cmd, len(claims))
	pipe := r.deps.Client.Pipeline()
	for i, c := range claims {
		cmds[i] = s.EvalSha(ctx, pipe, []string{r.key(c.User)}, args(c)...)
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	pipe = r.deps.Client.Pipeline()
	for i, c := range claims {
		if redis.HasErrorPrefix(cmds[i].Err(), "NOSCRIPT") {
			cmds[i] = s.Eval(ctx, pipe, []string{r.key(c.User)}, args(c)...)
		}
	}
	if pipe.Len() > 0 {
		_, _ = pipe.Exec(ctx)
	}
	return cmds
}

// name gives a stream's number in a form that sorts like the number.
func name(stream uint64) string { return fmt.Sprintf("%016x", stream) }

// decode reads "time|stream|replaced|rest" into a claim.
func decode(c *stream.Claim, text string) (rest string, err error) {
	fields := strings.SplitN(text, "|", 4)
	if len(fields) != 4 {
		return "", errNoClaim
	}
	at, err1 := strconv.ParseInt(fields[0], 10, 64)
	id, err2 := strconv.ParseUint(fields[1], 16, 64)
	replaced, err3 := strconv.Atoi(fields[2])
	if cmp.Or(err1, err2, err3) != nil {
		return "", errNoClaim
	}
	c.Time, c.Stream, c.Replaced, c.Age, c.After = at, id, replaced, 0, 0
	return fields[3], nil
}

var errNoClaim = errors.New("not a claim")
