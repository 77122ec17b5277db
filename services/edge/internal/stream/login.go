package stream

import (
	"iter"

	"example.com/hub/services/edge/internal/life"
)

// logout ends the stream of a user's session.
func (b *Broker) logout(user, login string) {
	if s := b.registry.get(b.registry.shardOf(user), user); s != nil && login != "" && s.login.Session == login {
		b.endLogin(s)
	}
}

// endLogin ends a stream, whose client learns when it is back that it must log in.
func (b *Broker) endLogin(s *session) { s.end(soon(), b.deps.Clock(), &b.loggedOut) }

// visits ask for the sessions of the streams.
func (b *Broker) visits() *life.Visits[*session] {
	return &life.Visits[*session]{
		Sessions: b.deps.Sessions, Open: b.registry.each, End: b.endLogin, Clock: b.deps.Clock,
		Login: func(s *session) *life.Login { return &s.login },
	}
}

// each gives every stream, one shard after the other.
func (r *registry) each() iter.Seq[*session] {
	return func(yield func(*session) bool) {
		var part []*session
		for n := range shardCount {
			part = r.appendShard(part[:0], n)
			for _, s := range part {
				if !yield(s) {
					return
				}
			}
		}
	}
}
