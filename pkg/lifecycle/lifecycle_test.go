package lifecycle_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/lifecycle"
)

// part runs until it is stopped and notes when that was.
func part(name string, stops *[]string) lifecycle.Part {
	done := make(chan struct{})
	return lifecycle.Part{
		Name: name,
		Run:  func() error { <-done; return nil },
		Stop: func(context.Context) error {
			*stops = append(*stops, name)
			close(done)
			return nil
		},
	}
}

func TestRunStopsInReverseOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stops []string
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Hour, cancel)
		err := lifecycle.Run(ctx, time.Second, part("store", &stops), part("server", &stops), part("streams", &stops))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"streams", "server", "store"}, stops); diff != "" {
			t.Error(diff)
		}
	})
}

func TestRunStopsAllWhenOneFails(t *testing.T) {
	var stops []string
	broken := errors.New("port lost")
	err := lifecycle.Run(t.Context(), time.Second,
		part("store", &stops),
		lifecycle.Part{Name: "server", Run: func() error { return broken }})
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "server: ") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string{"store"}, stops); diff != "" {
		t.Error(diff)
	}
}

func TestRunBoundsTheStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		begin := time.Now()
		err := lifecycle.Run(ctx, 3*time.Second, lifecycle.Part{
			Name: "slow",
			Stop: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(begin); took != 3*time.Second {
			t.Errorf("stopped after %v", took)
		}
	})
}

func TestListenNamesTheSetting(t *testing.T) {
	l, part, err := lifecycle.Listen(t.Context(), "HUB_HTTP_ADDR", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_, _, err = lifecycle.Listen(t.Context(), "HUB_HTTP_ADDR", addr)
	if want := "HUB_HTTP_ADDR: " + addr + " is taken; is it running already?"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for range 2 { // a server closes it, too
		if err := part.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestBackgroundEndsBeforeWhatItNeedsStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var order []string
		needed := lifecycle.Part{Name: "needed", Stop: func(context.Context) error {
			order = append(order, "needed stopped")
			return nil
		}}
		work := lifecycle.Background("work", func(ctx context.Context) error {
			<-ctx.Done()
			<-time.After(time.Second) // work that takes a while to end, in the bubble's time
			order = append(order, "work ended")
			return nil
		})
		time.AfterFunc(time.Minute, cancel)
		if err := lifecycle.Run(ctx, time.Minute, needed, work); err != nil {
			t.Error(err)
		}
		if want := []string{"work ended", "needed stopped"}; !slices.Equal(order, want) {
			t.Errorf("order %v, want %v", order, want)
		}
	})
}

func TestBackgroundThatNeverRanStops(t *testing.T) {
	p := lifecycle.Background("work", func(context.Context) error {
		t.Error("it works")
		return nil
	})
	for range 2 {
		if err := p.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if err := p.Run(); err != nil {
		t.Error(err)
	}
}

func TestBackgroundThatDoesNotEndIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		p := lifecycle.Background("work", func(context.Context) error { <-stuck; return nil })
		var ran sync.WaitGroup
		ran.Go(func() { _ = p.Run() })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		close(stuck)
		ran.Wait()
	})
}

func TestListenSaysWhatAnAddressMustBe(t *testing.T) {
	for _, addr := range []string{"8080", "127.0.0.1", "127.0.0.1:99999", "127.0.0.1:web!", "nowhere.invalid:80", "192.0.2.1:80"} {
		_, _, err := lifecycle.Listen(t.Context(), "HUB_HTTP_ADDR", addr)
		if want := `HUB_HTTP_ADDR: must be host:port of this machine, not "` + addr + `"`; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
