package tunnel_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"example.com/hub/pkg/tunnel"
)

// TestCallsKeepWhatIsTheirOwn has a success and a failure with all that a call can have.
func TestCallsKeepWhatIsTheirOwn(t *testing.T) {
	failure, err := status.New(codes.NotFound, "there is none").WithDetails(&errdetails.ErrorInfo{Reason: "gone"})
	if err != nil {
		t.Fatal(err)
	}
	c := serve(t, func(ctx context.Context, method string, md metadata.MD, request []byte) tunnel.Answer {
		deadline, _ := ctx.Deadline()
		if left := time.Until(deadline); left <= 0 || left > patience {
			t.Errorf("a call has %v left, of %v", left, patience)
		}
		a := tunnel.Answer{
			Response: request,
			Header:   metadata.Pairs("method", method, "all", md.Get("all")[0], "all", md.Get("all")[1]),
			Trailer:  metadata.Pairs("last", md.Get("one")[0]),
		}
		if md.Get("one")[0] == "bad" {
			a.Response, a.Err = nil, failure.Err()
		}
		return a
	}).open(t)
	for _, one := range []string{"good", "bad"} {
		ctx := metadata.NewOutgoingContext(t.Context(), metadata.Pairs("one", one, "all", "x", "all", "y"))
		var header, trailer metadata.MD
		got, err := ask(ctx, c, one+" text", grpc.Header(&header), grpc.Trailer(&trailer), grpc.StaticMethod())
		if one == "good" && (err != nil || got != "good text") {
			t.Errorf("a success is %q, %v", got, err)
		}
		if one == "bad" && !proto.Equal(status.Convert(err).Proto(), failure.Proto()) {
			t.Errorf("a failure is %v", err)
		}
		if fmt.Sprint(header["method"], header["all"], trailer["last"]) != "[/test.Test/Ask] [x y] ["+one+"]" {
			t.Errorf("metadata of the answer is %v, %v", header, trailer)
		}
	}
}

// TestNobodyWaitsForOthers has a call that is answered after one that came later.
func TestNobodyWaitsForOthers(t *testing.T) {
	slow, release := make(chan struct{}), make(chan struct{})
	c := serve(t, func(ctx context.Context, method string, md metadata.MD, request []byte) tunnel.Answer {
		if strings.Contains(string(request), "slow") {
			close(slow)
			<-release
		}
		return echo(ctx, method, md, request)
	}).open(t)
	got := make(chan string, 1)
	go func() {
		text, err := ask(t.Context(), c, "slow")
		got <- fmt.Sprint(text, err)
	}()
	<-slow
	if text, err := ask(t.Context(), c, "fast"); err != nil || text != "fast" {
		t.Errorf("%q, %v", text, err)
	}
	close(release)
	if text := <-got; text != "slow<nil>" {
		t.Error(text)
	}
}

func TestACallerThatLeavesEndsItsCallAlone(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan error, 1)
	c := serve(t, func(ctx context.Context, method string, md metadata.MD, request []byte) tunnel.Answer {
		if strings.Contains(string(request), "leaves") {
			close(begun)
			<-ctx.Done()
			ended <- ctx.Err()
		}
		return echo(ctx, method, md, request)
	}).open(t)
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-begun
		leave()
	}()
	if _, err := ask(ctx, c, "leaves"); status.Code(err) != codes.Canceled {
		t.Errorf("it gets %v", err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("its call ends by %v", err)
	}
	if text, err := ask(t.Context(), c, "stays"); err != nil || text != "stays" {
		t.Errorf("another one gets %q, %v", text, err)
	}
}

func TestTheTimeOfACallEnds(t *testing.T) {
	ended := make(chan error, 1)
	c := serve(t, func(ctx context.Context, _ string, _ metadata.MD, _ []byte) tunnel.Answer {
		<-ctx.Done()
		ended <- ctx.Err()
		return tunnel.Answer{Err: status.FromContextError(ctx.Err()).Err()}
	}).open(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := ask(ctx, c, "x"); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("the caller gets %v", err)
	}
	if err := <-ended; !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		t.Errorf("the call ends by %v", err)
	}
}

func TestLargeAnswersComeWhole(t *testing.T) {
	c := serve(t, echoed).open(t)
	for _, size := range []int{0, 1, 15<<10 - 3, 15 << 10, 30<<10 + 1, maxResponse - 8} {
		if text, err := ask(t.Context(), c, fmt.Sprint(size)); err != nil || text != strings.Repeat("x", size) {
			t.Errorf("%d bytes came as %d, %v", size, len(text), err)
		}
	}
	if _, err := ask(t.Context(), c, fmt.Sprint(maxResponse)); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("an answer that is too long: %v", err)
	}
	if text, err := ask(t.Context(), c, "3"); err != nil || text != "xxx" {
		t.Errorf("after it: %q, %v", text, err)
	}
}

// echoed answers with a text of as many bytes as the request's text says.
func echoed(_ context.Context, _ string, _ metadata.MD, request []byte) tunnel.Answer {
	var text wrapperspb.StringValue
	size := 0
	if err := proto.Unmarshal(request, &text); err != nil {
		return tunnel.Answer{Err: err}
	}
	if _, err := fmt.Sscan(text.GetValue(), &size); err != nil {
		return tunnel.Answer{Err: status.Error(codes.InvalidArgument, err.Error())}
	}
	raw, err := proto.Marshal(wrapperspb.String(strings.Repeat("x", size)))
	return tunnel.Answer{Response: raw, Err: err}
}

func TestCallsThatDoNotFit(t *testing.T) {
	made := atomic.Int32{}
	c := serve(t, func(ctx context.Context, method string, md metadata.MD, request []byte) tunnel.Answer {
		made.Add(1)
		return echo(ctx, method, md, request)
	}).open(t)
	with := func(pairs ...string) context.Context {
		return metadata.NewOutgoingContext(t.Context(), metadata.Pairs(pairs...))
	}
	for name, refused := range map[string]func() (string, error){
		"a large request":   func() (string, error) { return ask(t.Context(), c, strings.Repeat("x", 32<<10)) },
		"large metadata":    func() (string, error) { return ask(with("key", strings.Repeat("x", 32<<10)), c, "x") },
		"binary metadata":   func() (string, error) { return ask(with("key-bin", "x"), c, "x") },
		"broken metadata":   func() (string, error) { return ask(with("key", "\xff"), c, "x") },
		"metadata in lines": func() (string, error) { return ask(with("key", "x\ny"), c, "x") },
		"an unknown option": func() (string, error) { return ask(t.Context(), c, "x", grpc.WaitForReady(true)) },
	} {
		if _, err := refused(); !errors.Is(err, tunnel.ErrNotAnswered) || made.Load() > 0 {
			t.Errorf("%s: %v, made %d times", name, err, made.Load())
		}
	}
	if _, err := ask(t.Context(), c, "x"); err != nil || made.Load() != 1 {
		t.Errorf("%v, made %d times", err, made.Load())
	}
}

// TestNoMoreCallsAreUnderWayThanMay has more callers than slots. Those who leave are not waited for.
func TestNoMoreCallsAreUnderWayThanMay(t *testing.T) {
	var under, made atomic.Int32
	release := make(chan struct{})
	c := serve(t, func(ctx context.Context, method string, md metadata.MD, request []byte) tunnel.Answer {
		made.Add(1)
		if n := under.Add(1); n > tunnel.MaxCalls {
			t.Errorf("%d calls are under way", n)
		}
		defer under.Add(-1)
		select {
		case <-release:
		case <-ctx.Done():
		}
		return echo(ctx, method, md, request)
	}).open(t)
	ctx, leave := context.WithCancel(t.Context())
	var stay, all sync.WaitGroup
	call := func(ctx context.Context, want codes.Code) {
		defer all.Done()
		if _, err := ask(ctx, c, "x"); status.Code(err) != want {
			t.Errorf("a call gets %v, want %v", err, want)
		}
	}
	all.Add(3 * tunnel.MaxCalls)
	for range tunnel.MaxCalls {
		go call(ctx, codes.Canceled)
	}
	for made.Load() < tunnel.MaxCalls {
		<-time.After(time.Millisecond)
	}
	for range tunnel.MaxCalls {
		go call(ctx, codes.Canceled)
		stay.Go(func() { call(t.Context(), codes.OK) })
	}
	leave()
	for made.Load() < 2*tunnel.MaxCalls {
		<-time.After(time.Millisecond)
	}
	close(release)
	stay.Wait()
	all.Wait()
}
