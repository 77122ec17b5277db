// Command up runs Hub in its distributed shape on one machine: PostgreSQL, Redis and two replicas of
// each service, all on loopback. It expects the services' binaries beside itself and keeps its data
// under data/up of the working folder. Ctrl-C ends everything.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"example.com/hub/test/server"
	"example.com/hub/test/shape"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	interrupted := ctx.Err() != nil
	stop()
	if err != nil && !interrupted {
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
	self, err := os.Executable()
	if err != nil {
		return err
	}
	address := func(public, admin int) shape.Address {
		return shape.Address{Public: fmt.Sprintf("127.0.0.1:%d", public), Admin: fmt.Sprintf("127.0.0.1:%d", admin)}
	}
	hubs := map[string][]shape.Address{}
	for i, hub := range shape.Hubs() {
		hubs[hub] = []shape.Address{address(9101+i, 9201+i), address(9111+i, 9211+i)}
	}
	s, err := shape.Start(ctx, shape.Config{
		Bin:   filepath.Dir(self),
		Home:  home,
		Edges: []shape.Address{address(8081, 8181), address(8082, 8182)},
		Hubs:  hubs,
		Out:   os.Stdout,
	}, server.Durable)
	if err != nil {
		return err
	}
	defer s.Stop()
	welcome(os.Stdout, s, home)
	return watch(ctx, s)
}

// watch reports each replica that ends and does not start it again, so that one can see what its loss
// does.
func watch(ctx context.Context, s *shape.Shape) error {
	ended := make(chan *shape.Replica)
	for _, r := range s.Replicas {
		go func() {
			<-r.Exited
			select {
			case ended <- r:
			case <-ctx.Done():
			}
		}()
	}
	for range s.Replicas {
		select {
		case <-ctx.Done():
			return nil
		case r := <-ended:
			fmt.Printf("%s ended: %v\n", r.Name, r.State())
		}
	}
	return errors.New("every replica has ended")
}

func welcome(w io.Writer, s *shape.Shape, home string) {
	var hubs strings.Builder
	for i, hub := range shape.Hubs() {
		fmt.Fprintf(&hubs, "  %-12s 127.0.0.1:%-13d 127.0.0.1:%-13d gRPC\n", hub, 9101+i, 9111+i)
	}
	fmt.Fprintf(w, `
Hub is up in its distributed shape. Ctrl-C ends everything.

  edge         http://127.0.0.1:8081   http://127.0.0.1:8082   REST and streams
%s  health       http://127.0.0.1:PORT/readyz with a port that is 100 higher
  PostgreSQL   psql '%s'
  Redis        redis-cli -s %s
  data         %s
  clients      erp/erp-secret, portal/portal-secret, hr/hr-secret (feeds the directory), limited/limited-secret (lacks the scope)
  users        http://127.0.0.1:8081/portal/ as amy, ben or carla, without a password

Try it from another terminal:

  HUB_TARGET_URL=http://127.0.0.1:8081 go test -count=1 ./contract ./contract/portal

`, hubs.String(), s.Database(shape.Hubs()[0]), strings.TrimPrefix(s.Redis.Address, "unix://"), home)
}
