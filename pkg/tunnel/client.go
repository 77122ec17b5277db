package tunnel

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	tunnelv1 "example.com/hub/proto/gen/go/hub/tunnel/v1"
)

// ErrNotAnswered is of a call that must be made in another way: it does not fit into a tunnel, or the tunnel
// takes none any more, or broke before the answer. The last of these may have been made.
var ErrNotAnswered = errors.New("the call was not answered through the tunnel")

// Client is the end of a tunnel from which calls are made.
type Client struct {
	stream grpc.BidiStreamingClient[tunnelv1.OpenTunnelRequest, tunnelv1.OpenTunnelResponse]
	// maxResponse is the largest response in bytes.
	maxResponse int
	counts      *Counts
	requests    queue[request]
	// slots has an item for each call on its way.
	slots chan struct{}
	// full is closed when no more calls are taken.
	full    chan struct{}
	running sync.WaitGroup

	mu     sync.Mutex
	last   uint64
	closed bool
	// waiting are the calls without an answer, by their ids.
	waiting map[uint64]*call
}

// request is a call, or the id of one whose caller has left.
type request struct {
	call *tunnelv1.Call
	// size is about that of the call, in bytes.
	size int
	left uint64
}

// call is one that waits for its answer.
type call struct {
	// sent says that the server knows of it.
	sent     bool
	response []byte
	// end is nil of a call whose answer did not come.
	end  *tunnelv1.End
	err  error
	done chan struct{}
}

// Counts are of what went through tunnels since the start. Calls are more than Messages where they shared some.
type Counts struct{ Calls, Messages atomic.Uint64 }

// Open opens a tunnel through conn, which lasts until ctx ends, the server ends it or it breaks. Responses may
// have at most maxResponse bytes, and counts are added to. The errors are gRPC's; a server without tunnels
// answers UNIMPLEMENTED.
func Open(ctx context.Context, conn grpc.ClientConnInterface, maxResponse int, counts *Counts) (*Client, error) {
	stream, err := tunnelv1.NewTunnelServiceClient(conn).OpenTunnel(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := stream.Recv(); err != nil {
		return nil, err
	}
	c := &Client{
		stream: stream, maxResponse: maxResponse, counts: counts, requests: newQueue[request](),
		slots: make(chan struct{}, MaxCalls), full: make(chan struct{}), waiting: map[uint64]*call{},
	}
	c.running.Go(c.receive)
	c.running.Go(c.send)
	return c, nil
}

// Full is closed when the tunnel takes no more calls. Those on their way may still be answered.
func (c *Client) Full() <-chan struct{} { return c.full }

// Close lets no call in from now on. The tunnel ends when those on their way are answered.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		close(c.full)
		c.requests.wake()
	}
}

// Wait returns when the tunnel has ended.
func (c *Client) Wait() { c.running.Wait() }

// Invoke makes a unary call, as grpc.ClientConnInterface has it. Of the call options grpc.Header, grpc.Trailer
// and grpc.ForceCodecV2 are known. The error is a status of the server or of the end of ctx, or
// ErrNotAnswered.
func (c *Client) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	o, ok := optionsOf(opts)
	if !ok {
		return ErrNotAnswered
	}
	if err := ctx.Err(); err != nil {
		return status.FromContextError(err).Err()
	}
	encoded, err := o.codec.Marshal(args)
	if err != nil {
		return status.Errorf(codes.Internal, "encode the request: %v", err)
	}
	defer encoded.Free()
	md, _ := metadata.FromOutgoingContext(ctx)
	text, known := write(md)
	size := overhead + len(method) + len(text) + encoded.Len()
	if !known || size > maxCall {
		return ErrNotAnswered
	}
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-c.full:
		return ErrNotAnswered
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
	sent := &tunnelv1.Call{Method: method, Metadata: text, Request: encoded.Materialize()}
	if deadline, ok := ctx.Deadline(); ok {
		sent.Timeout = max(int64(time.Until(deadline)), 1)
	}
	made := c.begin(sent, size)
	if made == nil {
		return ErrNotAnswered
	}
	select {
	case <-made.done:
	case <-ctx.Done():
		if c.leave(sent.GetId()) {
			return status.FromContextError(ctx.Err()).Err()
		}
		<-made.done
	}
	return made.answer(&o, reply)
}

// begin sends a call, unless the tunnel takes none.
func (c *Client) begin(sent *tunnelv1.Call, size int) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.last++
	sent.Id = c.last
	made := &call{done: make(chan struct{})}
	c.waiting[sent.Id] = made
	c.requests.put(request{call: sent, size: size})
	return made
}

// leave ends the wait for a call. It is false for one that is settled.
func (c *Client) leave(id uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	made := c.waiting[id]
	if made == nil {
		return false
	}
	c.settle(id, made, true)
	return true
}

// settle ends a call. Of one that was left, the server hears if it knows of it. It is called under mu.
func (c *Client) settle(id uint64, made *call, left bool) {
	delete(c.waiting, id)
	if left && made.sent {
		c.requests.put(request{left: id})
	}
	if c.closed {
		c.requests.wake()
	}
}

// send sends calls until no more come and all are answered.
func (c *Client) send() {
	var waiting []request
	for ended := false; !ended; {
		select {
		case <-c.requests.ready:
		case <-c.stream.Context().Done():
			return
		}
		waiting = c.requests.take(waiting[:0])
		for rest := waiting; len(rest) > 0; {
			var message *tunnelv1.OpenTunnelRequest
			if message, rest = c.pack(rest); len(message.GetCalls())+len(message.GetLeft()) == 0 {
				continue // all of them were left
			}
			c.counts.Calls.Add(uint64(len(message.GetCalls())))
			c.counts.Messages.Add(1)
			if c.stream.Send(message) != nil {
				return // receive learns why
			}
		}
		clear(waiting)
		c.mu.Lock()
		ended = c.closed && len(c.waiting) == 0
		c.mu.Unlock()
	}
	_ = c.stream.CloseSend() // which fails for a stream that broke
}

// pack takes the next message out of requests, without the calls that were left meanwhile.
func (c *Client) pack(requests []request) (*tunnelv1.OpenTunnelRequest, []request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := new(tunnelv1.OpenTunnelRequest)
	size := 0
	for i, r := range requests {
		if size >= enough {
			return m, requests[i:]
		}
		if r.call == nil {
			m.Left = append(m.Left, r.left)
			size += overhead
		} else if made := c.waiting[r.call.GetId()]; made != nil {
			made.sent = true
			m.Calls = append(m.Calls, r.call)
			size += r.size
		}
	}
	return m, nil
}

// receive takes answers until the tunnel ends.
func (c *Client) receive() {
	defer c.broken()
	for {
		in, err := c.stream.Recv()
		if err != nil {
			return
		}
		for _, p := range in.GetParts() {
			c.add(p)
		}
		if in.GetFull() {
			c.Close()
		}
	}
}

// add takes the next part of an answer.
func (c *Client) add(p *tunnelv1.Part) {
	c.mu.Lock()
	defer c.mu.Unlock()
	made := c.waiting[p.GetId()]
	if made == nil {
		return // its caller has left
	}
	switch {
	case len(made.response)+len(p.GetResponse()) > c.maxResponse:
		made.err = status.Errorf(codes.ResourceExhausted, "the response has more than %d bytes", c.maxResponse)
	case made.response == nil:
		made.response = p.GetResponse()
	default:
		made.response = append(made.response, p.GetResponse()...)
	}
	made.end = p.GetEnd()
	if made.end != nil || made.err != nil {
		c.settle(p.GetId(), made, made.end == nil)
		close(made.done)
	}
}

// broken lets the callers that still wait go.
func (c *Client) broken() {
	c.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, made := range c.waiting {
		made.err = ErrNotAnswered
		close(made.done)
	}
	clear(c.waiting)
}
