package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

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
				if err := profile(context.WithoutCancel(ctx), service.Admin, file); err != nil {
					p.failed(fmt.Errorf("profile of %s: %w", service.Name, err))
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

func profile(ctx context.Context, admin, file string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*profileTime)
	defer cancel()
	target := fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%.0f", admin, profileTime.Seconds())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", resp.Status, data)
	}
	return os.WriteFile(file, data, 0o644)
}
