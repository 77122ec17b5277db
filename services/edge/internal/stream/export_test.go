package stream

// What the tests of the wire and of the backoff need to see.
var (
	AppendEvent     = appendEvent
	AppendHeartbeat = appendHeartbeat
)

// Replacements is the history of a user's stream.
type Replacements = replacements

// With and Wait are the steps of a replacement.
var (
	With = replacements.with
	Wait = replacements.wait
)

// Queued tells how many frames wait for a user's client.
func Queued(b *Broker, user string) int {
	s := b.streams.get(b.streams.shardOf(user), user)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queued
}
