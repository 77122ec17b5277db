// Package stage sets up what a scenario needs: Hub in its distributed shape with one replica of each
// service, databases and processes of the baselines, and ways to call both. Everything is on loopback.
package stage

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"example.com/hub/test/bench/internal/measure"
	"example.com/hub/test/server"
	"example.com/hub/test/shape"
)

// Stage is Hub while it runs.
type Stage struct {
	*shape.Shape
	// Edge, Todohub and Messagehub are addresses, host:port.
	Edge, Todohub, Messagehub string
	// Token is one of the client erp.
	Token string
	// EdgePID, TodohubPID and MessagehubPID are the processes, PostgresPID and RedisPID those beside them.
	EdgePID, TodohubPID, MessagehubPID, PostgresPID, RedisPID int
	// Services are those processes for profiles, by name.
	Services map[string]Service

	bin string
	log *os.File
}

// tuning gives PostgreSQL room on a machine of some GiB, as any production does, and lets a scenario
// see whole statements. What keeps data safe stays as it is: fsync, synchronous_commit and
// full_page_writes on.
var tuning = []string{
	"ALTER SYSTEM SET shared_buffers = '1GB'",
	"ALTER SYSTEM SET max_wal_size = '4GB'",
	"ALTER SYSTEM SET track_activity_query_size = '16kB'",
}

// Home makes a folder for a stage. PostgreSQL may run as another user, who must get through.
func Home() (dir string, remove func(), err error) {
	// Not the folder for temporary files, which may lie in memory, where an fsync costs nothing.
	dir, err = os.MkdirTemp("/var/tmp", "hub-bench-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	if err := os.Chmod(dir, 0o711); err != nil {
		remove()
		return "", nil, err
	}
	return dir, remove, nil
}

// Start starts Hub with settings of its own, NAME=value each, and its data in home.
func Start(ctx context.Context, bin, home string, environ ...string) (_ *Stage, err error) {
	if err := tune(ctx, filepath.Join(home, "postgres")); err != nil {
		return nil, fmt.Errorf("prepare PostgreSQL: %w", err)
	}
	log, err := os.OpenFile(filepath.Join(home, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	addresses, err := free(8)
	if err != nil {
		return nil, err
	}
	cfg := shape.Config{
		Bin: bin, Home: home, Out: log, Environ: environ,
		Edges: []shape.Address{{Public: addresses[0], Admin: addresses[1]}},
		Hubs: map[string][]shape.Address{
			"todohub":    {{Public: addresses[2], Admin: addresses[3]}},
			"messagehub": {{Public: addresses[4], Admin: addresses[5]}},
			"portalhub":  {{Public: addresses[6], Admin: addresses[7]}},
		},
	}
	s := &Stage{Edge: addresses[0], Todohub: addresses[2], Messagehub: addresses[4], bin: bin, log: log, Services: map[string]Service{}}
	for i, name := range []string{"edge", "todohub", "messagehub"} {
		s.Services[name] = Service{name, addresses[2*i+1]}
	}
	if s.Shape, err = shape.Start(ctx, cfg, server.Durable); err != nil {
		_ = log.Close()
		return nil, fmt.Errorf("start Hub: %w", err)
	}
	defer func() {
		if err != nil {
			s.Stop()
		}
	}()
	if err := s.find(); err != nil {
		return nil, err
	}
	if s.Token, err = shape.Token(ctx, http.DefaultClient, "http://"+s.Edge); err != nil {
		return nil, err
	}
	return s, s.reach(ctx)
}

// reach waits until the edge has found the hubs: it is ready without them.
func (s *Stage) reach(ctx context.Context) error {
	for _, path := range []string{"/todo-hub/todos?size=1", "/message-hub/unread-count?username=nobody"} {
		for status := 0; status != http.StatusOK; {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.Edge+path, nil)
			if err != nil {
				return err
			}
			req.Header.Set("Authorization", "Bearer "+s.Token)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return fmt.Errorf("reach the hubs: %w", err)
			}
			_ = resp.Body.Close()
			if status = resp.StatusCode; status != http.StatusOK && status != http.StatusServiceUnavailable {
				return fmt.Errorf("reach the hubs: %s", resp.Status)
			}
		}
	}
	return nil
}

// Stop ends everything.
func (s *Stage) Stop() {
	s.Shape.Stop()
	_ = s.log.Close()
}

// Both are the edge and the hub of a name.
func (s *Stage) Both(hub string) []Service {
	return []Service{s.Services["edge"], s.Services[hub]}
}

// RestartEdge gives the edge a fresh process.
func (s *Stage) RestartEdge(ctx context.Context) error {
	const name = "edge-1"
	s.Replica(name).Stop()
	if err := s.Restart(ctx, name); err != nil {
		return err
	}
	return s.find()
}

// find looks for the processes of the services.
func (s *Stage) find() error {
	children, err := measure.Children(os.Getpid())
	if err != nil {
		return err
	}
	s.EdgePID, s.TodohubPID, s.MessagehubPID = children["edge"], children["todohub"], children["messagehub"]
	s.PostgresPID, s.RedisPID = children["postgres"], children["redis-server"]
	if s.EdgePID == 0 || s.TodohubPID == 0 || s.MessagehubPID == 0 {
		return fmt.Errorf("the services are not among the children of this process: %v", children)
	}
	return nil
}

// tune writes the settings into a new cluster; they hold from its next start.
func tune(ctx context.Context, dir string) error {
	pg, err := server.Postgres(ctx, dir, server.Durable)
	if err != nil {
		return err
	}
	defer pg.Stop()
	conn, err := pgx.Connect(ctx, pg.Address+" dbname=postgres")
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, statement := range tuning {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// Migrated makes a database with the schema of a hub for a baseline, and gives its connection string.
func (s *Stage) Migrated(ctx context.Context, hub, name string) (string, error) {
	if err := s.Postgres.CreateDatabase(ctx, name); err != nil {
		return "", err
	}
	if err := shape.Migrate(ctx, s.bin, hub, s.Database(name)); err != nil {
		return "", err
	}
	return s.Database(name), nil
}

// Calls makes a connection to a hub, and a context that carries the token of its calls.
func (s *Stage) Calls(ctx context.Context, addr string) (*grpc.ClientConn, context.Context, error) {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, nil, err
	}
	return conn, metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+s.Token), nil
}

// free gives addresses on loopback that nobody listens on.
func free(n int) ([]string, error) {
	addresses := make([]string, n)
	for i := range addresses {
		var err error
		if addresses[i], err = server.FreeAddress(); err != nil {
			return nil, err
		}
	}
	return addresses, nil
}
