// Package tunnel lets unary calls share their trips: many of them go through one gRPC stream, and those that
// are on their way at one time share a message, which is one write to the network. A call of its own costs
// gRPC a stream: two headers to compress, a trailer, and goroutines on both sides that wake each other.
//
// A call keeps what is its own: its metadata, deadline, cancellation and status, and its answer comes as soon
// as it is there, in any order. Nobody waits for others to share with: while one message is written, the calls
// that come wait for the next. A tunnel is only ever a shortcut: what it does not answer, because it is full
// or broke, is called again in the usual way, which knows how to find another server.
package tunnel

import (
	"runtime"
	"strings"
	"sync"

	"google.golang.org/grpc/metadata"
)

// MaxCalls is how many calls of a tunnel may be on their way at one time. Others wait at the caller's.
const MaxCalls = 100

// MaxMessage is more than the bytes of any message to a server.
const MaxMessage = enough + maxCall + 1<<10

const (
	// maxCall is the largest call that goes through a tunnel, and maxMetadata that of its metadata, in bytes.
	// Larger calls would keep others waiting.
	maxCall     = 32 << 10
	maxMetadata = 16 << 10
	// maxPart is the largest part of an answer, in bytes.
	maxPart = 15 << 10
	// enough ends a message: another call or part is put into one that is smaller, in bytes. With most calls, and
	// with every part, that is less than 32 KiB: the next larger buffer of gRPC has 1 MiB, and is cleared each time.
	enough = 16 << 10
	// overhead is more than a call, a part or an id takes besides its texts, in bytes.
	overhead = 64
)

// queue hands what many goroutines put in to one that sends it.
type queue[T any] struct {
	mu    sync.Mutex
	items []T
	// ready has a value when the one that sends should look.
	ready chan struct{}
}

func newQueue[T any]() queue[T] { return queue[T]{ready: make(chan struct{}, 1)} }

func (q *queue[T]) put(item T) {
	q.mu.Lock()
	q.items = append(q.items, item)
	q.mu.Unlock()
	q.wake()
}

func (q *queue[T]) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// take adds what is there to items. It first lets those run who are about to put something in.
func (q *queue[T]) take(items []T) []T {
	runtime.Gosched()
	q.mu.Lock()
	defer q.mu.Unlock()
	items = append(items, q.items...)
	clear(q.items)
	q.items = q.items[:0]
	return items
}

// write gives metadata as it travels: one text, which is one allocation on either side. Of what gRPC would
// encode or refuse, known is false.
func write(md metadata.MD) (text string, known bool) {
	size := 0
	for key, values := range md {
		for _, value := range values {
			if strings.HasSuffix(key, "-bin") || !printable(key) || !printable(value) {
				return "", false
			}
			size += len(key) + len(value) + 2
		}
	}
	if size > maxMetadata {
		return "", false
	}
	var b strings.Builder
	b.Grow(size)
	for key, values := range md {
		for _, value := range values {
			b.WriteString(key)
			b.WriteByte('\n')
			b.WriteString(value)
			b.WriteByte('\n')
		}
	}
	return b.String(), true
}

// printable tells whether a text is printable ASCII (gRPC over HTTP/2, Custom-Metadata).
func printable(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// read is the opposite of write.
func read(text string) metadata.MD {
	md := metadata.MD{}
	for text != "" {
		key, rest, _ := strings.Cut(text, "\n")
		value, rest, _ := strings.Cut(rest, "\n")
		md[key] = append(md[key], value)
		text = rest
	}
	return md
}
