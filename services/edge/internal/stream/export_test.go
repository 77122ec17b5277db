package stream

import "example.com/hub/services/edge/internal/conn"

// Replacements is the history of a user's stream.
type Replacements = replacements

// With and Wait are the steps of a replacement.
var (
	With = replacements.with
	Wait = replacements.wait
)

// Queued tells how many frames wait for a user's client.
func Queued(b *Broker, user string) int {
	return b.registry.get(b.registry.shardOf(user), user).transport.(*conn.Conn).Queued()
}

// WaitingHints tells how many streams wait for somebody to ask for their hint.
func WaitingHints(b *Broker) int {
	b.hints.mu.Lock()
	defer b.hints.mu.Unlock()
	return len(b.hints.waiting)
}
