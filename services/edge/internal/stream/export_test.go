package stream

// What the tests of the wire and of the backoff need to see.
var (
	AppendEvent     = appendEvent
	AppendHeartbeat = appendHeartbeat
)

// Chunk is the memory of a chunk.
type Chunk = chunk

// Begin, End and TextOf make and take apart a chunk.
var (
	Begin  = (*chunk).begin
	End    = (*chunk).end
	TextOf = textOf
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

// WaitingHints tells how many streams wait for somebody to ask for their hint.
func WaitingHints(b *Broker) int {
	b.hints.mu.Lock()
	defer b.hints.mu.Unlock()
	return len(b.hints.waiting)
}

// Ring is what keeps events for clients that come back.
type Ring = ring

// BlockSize is the unit of a Ring's memory.
const BlockSize = blockSize

// NewRing and its methods.
var (
	NewRing = newRing
	Add     = (*ring).add
	Find    = (*ring).find
	Read    = (*ring).read
	Tidy    = (*ring).tidy
	Forget  = (*ring).forget
)
