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
	"unicode/utf8"

	"google.golang.org/grpc/metadata"
)

// MaxMessage is more than the bytes of any message to a server.
const MaxMessage = 2 * enough

const (
	// maxCall is the largest call that goes through a tunnel, in bytes. Larger ones would keep others waiting.
	maxCall = 32 << 10
	// maxPart is the largest part of an answer, in bytes.
	maxPart = 32 << 10
	// enough ends a message: another call or part is put into one that is smaller, in bytes.
	enough = 64 << 10
	// overhead is more than a call or a value of metadata takes besides its texts, in bytes.
	overhead = 32
)

// queue hands what many goroutines put in to one that sends it.
type queue[T any] struct {
	mu    sync.Mutex
	items []T
	// ready has a value while there are items that nobody knows of.
	ready chan struct{}
}

func newQueue[T any]() queue[T] { return queue[T]{ready: make(chan struct{}, 1)} }

func (q *queue[T]) put(item T) {
	q.mu.Lock()
	q.items = append(q.items, item)
	q.mu.Unlock()
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

// list gives metadata as it travels, and about its size in bytes. Only text can travel: of anything else known
// is false.
func list(md metadata.MD) (all []string, size int, known bool) {
	all = make([]string, 0, 2*len(md))
	for key, values := range md {
		for _, value := range values {
			if strings.HasSuffix(key, "-bin") || !utf8.ValidString(value) {
				return nil, 0, false
			}
			all = append(all, key, value)
			size += len(key) + len(value) + overhead
		}
	}
	return all, size, true
}

// read is the opposite of list.
func read(all []string) metadata.MD {
	md := make(metadata.MD, len(all)/2)
	for i := 0; i+1 < len(all); i += 2 {
		md[all[i]] = append(md[all[i]], all[i+1])
	}
	return md
}
