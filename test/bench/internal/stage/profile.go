package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/hub/test/bench/internal/measure"
)

// profileTime is the length of one profile. A process that is replaced meanwhile loses at most that.
const profileTime = 5 * time.Second

// Service is a process of Hub whose admin address answers profiles.
type Service struct{ Name, Admin string }

// Profiles are being taken.
type Profiles struct {
	stop  context.CancelFunc
	tasks sync.WaitGroup
	mu    sync.Mutex
	err   error
}

// Profile takes processor profiles of the services, one after the other of each, into files
// dir/NAME-PROCESS-NUMBER.pprof, until Stop. An empty dir takes none.
func Profile(ctx context.Context, dir, name string, services []Service) *Profiles {
	ctx, stop := context.WithCancel(ctx)
	p := &Profiles{stop: stop}
	if dir == "" {
		return p
	}
	for _, service := range services {
		p.tasks.Go(func() {
			for n := 1; ctx.Err() == nil; n++ {
				file := filepath.Join(dir, fmt.Sprintf("%s-%s-%d.pprof", name, service.Name, n))
				// What has begun is brought to its end: the process sends a profile as a whole.
				data, err := profile(context.WithoutCancel(ctx), service, profileTime)
				if err == nil {
					err = os.WriteFile(file, data, 0o644)
				}
				if err != nil {
					p.failed(err)
					// It may be restarting.
					_ = measure.Pause(ctx, time.Second)
				}
			}
		})
	}
	return p
}

// Stop ends the profiles and waits for the last ones. The error says which are missing.
func (p *Profiles) Stop() error {
	p.stop()
	p.tasks.Wait()
	return p.err
}

func (p *Profiles) failed(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = errors.Join(p.err, err)
}

// profile takes one profile.
func profile(ctx context.Context, of Service, d time.Duration) (_ []byte, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("profile of %s: %w", of.Name, err)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, d+profileTime)
	defer cancel()
	target := fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%.0f", of.Admin, math.Ceil(d.Seconds()))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, data)
	}
	return data, err
}

// Window takes one processor profile of each service for d, in whole seconds, from now on, and keeps it in
// dir/NAME-PROCESS-ROUND.pprof. The function that it gives waits for them.
func Window(ctx context.Context, dir, name string, round int, services []Service, d time.Duration) func() ([][]byte, error) {
	taken := make([][]byte, len(services))
	var group errgroup.Group
	for i, service := range services {
		group.Go(func() (err error) {
			if taken[i], err = profile(ctx, service, d); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%s-%d.pprof", name, service.Name, round)), taken[i], 0o644)
		})
	}
	return func() ([][]byte, error) { return taken, group.Wait() }
}
