// Command up runs Hub in its distributed shape on one machine: PostgreSQL, Redis and two replicas of
// each service, all on loopback. It expects the services' binaries beside itself and keeps its data
// under data/up of the working folder. Ctrl-C ends everything.
package main

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"example.com/hub/tools/stack/internal/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "up:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	home, err := filepath.Abs(filepath.Join("data", "up"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	bin, err := os.Executable()
	if err != nil {
		return err
	}

	pg, err := postgres(ctx, home)
	if err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	defer pg.Stop()
	redis, err := server.Redis(ctx, home)
	if err != nil {
		return fmt.Errorf("start Redis: %w", err)
	}
	defer redis.Stop()

	s := shape{bin: filepath.Dir(bin), home: home, postgres: pg.Address, redis: redis.Address}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	return supervise(ctx, s)
}

// postgres keeps the cluster under home. Where PostgreSQL runs as another user who cannot reach that
// folder, as in a clone below root's home, home only holds a link.
func postgres(ctx context.Context, home string) (*server.Server, error) {
	dir := filepath.Join(home, "postgres")
	if !server.Reachable(dir) {
		sum := sha1.Sum([]byte(home))
		elsewhere := filepath.Join("/var/tmp", "hub-up-"+hex.EncodeToString(sum[:6]))
		if err := os.Symlink(elsewhere, dir); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, err
		}
		dir = elsewhere
	}
	pg, err := server.Postgres(ctx, dir, server.Durable)
	if err != nil {
		return nil, err
	}
	for _, database := range []string{"todohub", "messagehub"} {
		if err := pg.CreateDatabase(ctx, database); err != nil {
			pg.Stop()
			return nil, err
		}
	}
	return pg, nil
}

// supervise starts the replicas, says when all are ready, and stops them in the reverse order. A
// replica that ends is reported and not started again, so that one can see what its loss does.
func supervise(ctx context.Context, s shape) error {
	var running []*process
	defer func() {
		var all sync.WaitGroup
		for _, p := range running {
			all.Go(p.stop)
		}
		all.Wait()
	}()
	for _, r := range s.replicas() {
		p, err := s.start(r)
		if err != nil {
			return fmt.Errorf("start %s: %w", r.name, err)
		}
		running = append(running, p)
	}
	for _, p := range running {
		if err := p.ready(ctx, 30*time.Second); err != nil {
			return err
		}
	}
	s.welcome(os.Stdout)

	ended := make(chan *process)
	for _, p := range running {
		go func() {
			<-p.exited
			select {
			case ended <- p:
			case <-ctx.Done():
			}
		}()
	}
	for left := len(running); left > 0; left-- {
		select {
		case <-ctx.Done():
			return nil
		case p := <-ended:
			fmt.Printf("%s ended: %v\n", p.name, p.cmd.ProcessState)
		}
	}
	return errors.New("every replica has ended")
}
