package tunnel_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/tunnel"
)

// TestAStorm has callers that come and leave while tunnels grow old: everyone gets her own answer, or learns
// that there is none.
func TestAStorm(t *testing.T) {
	s := serve(t, echoed, func(s *tunnel.Server) { s.Age = 20 * time.Millisecond })
	var answered, left, again atomic.Int32
	for range 10 {
		c := s.open(t)
		var callers sync.WaitGroup
		for range 32 {
			callers.Go(func() {
				for {
					size := rand.N(100)
					if rand.N(10) == 0 {
						size = rand.N(100_000)
					}
					ctx, cancel := context.WithCancel(t.Context())
					if rand.N(10) == 0 {
						stop := time.AfterFunc(rand.N(time.Millisecond), cancel)
						defer stop.Stop()
					}
					text, err := ask(ctx, c, fmt.Sprint(size))
					cancel()
					switch {
					case err == nil && len(text) == size:
						answered.Add(1)
					case status.Code(err) == codes.Canceled:
						left.Add(1)
					case errors.Is(err, tunnel.ErrNotAnswered):
						again.Add(1)
						return
					default:
						t.Errorf("%d bytes came as %d, %v", size, len(text), err)
						return
					}
				}
			})
		}
		callers.Wait()
	}
	if answered.Load() < 100 || left.Load() == 0 || again.Load() != 320 {
		t.Errorf("%d were answered, %d left, %d found their tunnel full", answered.Load(), left.Load(), again.Load())
	}
}
