package tunnel

import (
	"bytes"
	"testing"

	tunnelv1 "example.com/hub/proto/gen/go/hub/tunnel/v1"
)

// TestCallsShareAMessage has what waits go together, up to a size.
func TestCallsShareAMessage(t *testing.T) {
	c := &Client{requests: newQueue[request](), waiting: map[uint64]*call{}}
	var requests []request
	for i := range uint64(100) {
		requests = append(requests, request{call: &tunnelv1.Call{Id: i}, size: 256})
		c.waiting[i] = new(call)
	}
	first, rest := c.pack(requests)
	second, rest := c.pack(rest)
	if len(first.GetCalls()) != 64 || len(second.GetCalls()) != 36 || len(rest) > 0 {
		t.Errorf("the messages have %d and %d calls, and %d wait", len(first.GetCalls()), len(second.GetCalls()), len(rest))
	}
}

// TestACallThatIsLeftInTimeIsNotSent has one that is left before it is sent, and one that is left later.
func TestACallThatIsLeftInTimeIsNotSent(t *testing.T) {
	c := &Client{requests: newQueue[request](), waiting: map[uint64]*call{}}
	c.begin(&tunnelv1.Call{}, 1)
	c.begin(&tunnelv1.Call{}, 1)
	c.leave(1)
	m, _ := c.pack(c.requests.take(nil))
	if len(m.GetCalls()) != 1 || m.GetCalls()[0].GetId() != 2 || len(m.GetLeft()) > 0 {
		t.Errorf("first goes %v", m)
	}
	c.leave(2)
	m, _ = c.pack(c.requests.take(nil))
	if len(m.GetCalls()) > 0 || len(m.GetLeft()) != 1 || m.GetLeft()[0] != 2 {
		t.Errorf("then goes %v", m)
	}
}

// TestSmallAnswersPassLargeOnes has answers of which the large ones go in turns.
func TestSmallAnswersPassLargeOnes(t *testing.T) {
	sizes := []int{300 << 10, 10, 200 << 10, 20}
	var waiting []answer
	for i, size := range sizes {
		waiting = append(waiting, answer{id: uint64(i), rest: bytes.Repeat([]byte{byte(i)}, size), end: &tunnelv1.End{}})
	}
	ended, got := map[uint64]int{}, map[uint64]int{}
	for message := 1; len(waiting) > 0; message++ {
		var parts []*tunnelv1.Part
		parts, waiting = split(waiting)
		size := 0
		for _, p := range parts {
			size += len(p.GetResponse())
			got[p.GetId()] += len(p.GetResponse())
			if bytes.ContainsFunc(p.GetResponse(), func(r rune) bool { return uint64(r) != p.GetId() }) || ended[p.GetId()] > 0 {
				t.Errorf("message %d has another answer's bytes for %d, or more than its end", message, p.GetId())
			}
			if p.GetEnd() != nil {
				ended[p.GetId()] = message
			}
		}
		if size > enough+maxPart {
			t.Errorf("message %d has %d bytes", message, size)
		}
	}
	for i, size := range sizes {
		if got[uint64(i)] != size {
			t.Errorf("of %d bytes %d came", size, got[uint64(i)])
		}
	}
	if ended[1] != 1 || ended[3] > 2 || ended[2] >= ended[0] {
		t.Errorf("the answers ended in the messages %v", ended)
	}
}
