// Package lifecycle runs the parts of a process together and stops them in the reverse order.
package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Part is something that runs until it is stopped.
type Part struct {
	// Name stands in errors.
	Name string
	// Run blocks until Stop was called or the part cannot go on; nil means that it stopped in order.
	// A part without Run has only something to stop.
	Run func() error
	// Stop makes Run return; it finishes what is under way until ctx ends. A part without Stop ends
	// by itself.
	Stop func(ctx context.Context) error
}

// Run starts all parts and waits until ctx ends or a part fails. Then it stops the parts, the last
// one first and each after the one before it is done, with grace for all of them together. The error
// joins every part's.
func Run(ctx context.Context, grace time.Duration, parts ...Part) error {
	ctx, failed := context.WithCancel(ctx)
	defer failed()

	var running sync.WaitGroup
	faults := make([]error, len(parts))
	for i, p := range parts {
		if p.Run == nil {
			continue
		}
		running.Go(func() {
			if err := p.Run(); err != nil {
				faults[i] = fmt.Errorf("%s: %w", p.Name, err)
				failed()
			}
		})
	}

	<-ctx.Done()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	stopped := Stop(stopping, parts...)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		running.Wait()
	}()
	select {
	case <-ended:
		return errors.Join(errors.Join(faults...), stopped)
	case <-stopping.Done():
		return errors.Join(stopped, errors.New("some parts did not end in time"))
	}
}

// Stop stops parts, the last one first, whether they run or not. Every part is stopped, whatever
// happens to the others.
func Stop(ctx context.Context, parts ...Part) error {
	var faults []error
	for _, p := range slices.Backward(parts) {
		if p.Stop == nil {
			continue
		}
		if err := p.Stop(ctx); err != nil {
			faults = append(faults, fmt.Errorf("stop %s: %w", p.Name, err))
		}
	}
	return errors.Join(faults...)
}

// Background is a part that works until its context ends, which Stop does. Stop waits for the end of the
// work, so that the parts that the work needs can be stopped afterwards.
func Background(name string, work func(ctx context.Context) error) Part {
	ctx, cancel := context.WithCancel(context.Background())
	var taken atomic.Bool // by Run, or by a Stop before it
	ended := make(chan struct{})
	return Part{
		Name: name,
		Run: func() error {
			if !taken.CompareAndSwap(false, true) {
				return nil
			}
			defer close(ended)
			return work(ctx)
		},
		Stop: func(stopping context.Context) error {
			cancel()
			if taken.CompareAndSwap(false, true) {
				close(ended)
			}
			select {
			case <-ended:
				return nil
			case <-stopping.Done():
				return stopping.Err()
			}
		},
	}
}
