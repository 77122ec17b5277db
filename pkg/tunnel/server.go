package tunnel

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	tunnelv1 "example.com/hub/proto/gen/go/hub/tunnel/v1"
)

// Answer is what a call came to. Err is one of package status; where it is not nil, there is no Response.
type Answer struct {
	Response        []byte
	Header, Trailer metadata.MD
	Err             error
}

// Server is the end of tunnels at which calls are answered. It implements tunnelv1.TunnelServiceServer.
type Server struct {
	tunnelv1.UnimplementedTunnelServiceServer

	// Call makes a call. It may keep the request. Its context has the peer of the tunnel and no metadata.
	Call func(ctx context.Context, method string, md metadata.MD, request []byte) Answer
	// Age is for how long a tunnel takes calls.
	Age time.Duration
	// Closing is closed when no tunnel takes calls any more.
	Closing <-chan struct{}
}

// OpenTunnel implements tunnelv1.TunnelServiceServer.
func (s *Server) OpenTunnel(stream grpc.BidiStreamingServer[tunnelv1.OpenTunnelRequest, tunnelv1.OpenTunnelResponse]) error {
	if err := stream.Send(&tunnelv1.OpenTunnelResponse{}); err != nil { // It is open.
		return err
	}
	ctx, cancel := bare(stream.Context())
	defer cancel()
	t := &tunnel{
		server: s, stream: stream, ctx: ctx, slots: make(chan struct{}, MaxCalls), tasks: make(chan task),
		answers: newQueue[answer](), answered: make(chan struct{}), cancels: map[uint64]context.CancelFunc{},
	}
	sent := make(chan error, 1)
	go func() { sent <- t.send() }()
	err := t.receive()
	close(t.tasks)
	t.workers.Wait()
	close(t.answered)
	return errors.Join(err, <-sent)
}

// bare gives a context with the end and the peer of another one, and none of its other values: each call has
// its own.
func bare(outer context.Context) (context.Context, context.CancelFunc) {
	p, _ := peer.FromContext(outer)
	ctx, cancel := context.WithCancel(peer.NewContext(context.Background(), p))
	context.AfterFunc(outer, cancel)
	return ctx, cancel
}

// tunnel is one while it is open.
type tunnel struct {
	server *Server
	stream grpc.BidiStreamingServer[tunnelv1.OpenTunnelRequest, tunnelv1.OpenTunnelResponse]
	ctx    context.Context //nolint:containedctx // that of all calls

	// slots has an item for each call whose answer is not sent, so that answers do not gather.
	slots chan struct{}
	// tasks go to workers, which stay until the tunnel ends: the stack of a new goroutine grows, and is
	// copied, several times in a call.
	tasks   chan task
	workers sync.WaitGroup
	started int

	answers queue[answer]
	// answered is closed when all answers are in the queue.
	answered chan struct{}

	mu      sync.Mutex
	cancels map[uint64]context.CancelFunc
}

// task is a call with its context.
type task struct {
	ctx  context.Context //nolint:containedctx // it goes from one goroutine to another
	call *tunnelv1.Call
}

// receive begins calls until the edge has sent its last one.
func (t *tunnel) receive() error {
	for {
		in, err := t.stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, id := range in.GetLeft() {
			t.end(id)
		}
		for _, c := range in.GetCalls() {
			select {
			case t.slots <- struct{}{}:
				t.hand(task{t.begin(c), c})
			case <-t.ctx.Done():
				return context.Cause(t.ctx)
			}
		}
	}
}

// begin gives the context of a call.
func (t *tunnel) begin(c *tunnelv1.Call) context.Context {
	var ctx context.Context
	var cancel context.CancelFunc
	if c.GetTimeout() > 0 {
		ctx, cancel = context.WithTimeout(t.ctx, time.Duration(c.GetTimeout()))
	} else {
		ctx, cancel = context.WithCancel(t.ctx)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cancels[c.GetId()] = cancel
	return ctx
}

// end ends the context of a call.
func (t *tunnel) end(id uint64) {
	t.mu.Lock()
	cancel := t.cancels[id]
	delete(t.cancels, id)
	t.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// hand gives a task to a worker that waits, or to a new one, or waits for one.
func (t *tunnel) hand(k task) {
	select {
	case t.tasks <- k:
		return
	default:
	}
	if t.started == MaxCalls {
		t.tasks <- k // There are more workers than calls, so one is about to wait.
		return
	}
	t.started++
	t.workers.Go(func() {
		for ok := true; ok; k, ok = <-t.tasks {
			t.work(k)
		}
	})
}

func (t *tunnel) work(k task) {
	id := k.call.GetId()
	a := t.server.Call(k.ctx, k.call.GetMethod(), read(k.call.GetMetadata()), k.call.GetRequest())
	t.end(id)
	t.answers.put(answer{id: id, rest: a.Response, end: endOf(a)})
}

func endOf(a Answer) *tunnelv1.End {
	header, known := write(a.Header)
	trailer, also := write(a.Trailer)
	if !known || !also {
		a.Err = status.Error(codes.Internal, "the answer has metadata that is no text")
	}
	end := &tunnelv1.End{Header: header, Trailer: trailer}
	if a.Err != nil {
		failure := status.Convert(a.Err).Proto()
		failure.Message = strings.ToValidUTF8(failure.GetMessage(), "\uFFFD")
		end.Status, _ = proto.Marshal(failure) // valid text always is
	}
	return end
}

// answer is one that is not sent to its end.
type answer struct {
	id   uint64
	rest []byte
	end  *tunnelv1.End
}

// always can be read from.
var always = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// send sends answers until all are sent.
func (t *tunnel) send() error {
	aged := time.NewTimer(t.server.Age)
	defer aged.Stop()
	closing := t.server.Closing
	var waiting []answer
	for answered := false; !answered || len(waiting) > 0; {
		var more chan struct{}
		if len(waiting) > 0 {
			more = always
		}
		full := false
		select {
		case <-more:
		case <-t.answers.ready:
		case <-t.answered:
			answered = true
		case <-aged.C:
			full = true
		case <-closing:
			full, closing = true, nil
		}
		if waiting = t.answers.take(waiting); len(waiting) == 0 && !full {
			continue
		}
		message := &tunnelv1.OpenTunnelResponse{Full: full}
		message.Parts, waiting = split(waiting)
		if err := t.stream.Send(message); err != nil {
			return err
		}
		for _, p := range message.GetParts() {
			if p.GetEnd() != nil {
				<-t.slots
			}
		}
	}
	return nil
}

// split takes the parts of the next message out of what waits. An answer that has more goes to the back.
func split(waiting []answer) (parts []*tunnelv1.Part, rest []answer) {
	size, n := 0, 0
	var more []answer
	for ; n < len(waiting) && size < enough; n++ {
		a := waiting[n]
		p := &tunnelv1.Part{Id: a.id}
		if len(a.rest) > maxPart {
			p.Response, a.rest = a.rest[:maxPart], a.rest[maxPart:]
			more = append(more, a)
		} else {
			p.Response, p.End = a.rest, a.end
		}
		parts = append(parts, p)
		size += overhead + len(p.GetResponse()) + len(p.GetEnd().GetStatus()) + len(p.GetEnd().GetHeader()) + len(p.GetEnd().GetTrailer())
	}
	return parts, append(slices.Delete(waiting, 0, n), more...)
}
