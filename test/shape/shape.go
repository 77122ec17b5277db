// Package shape runs Hub's distributed shape on one machine: PostgreSQL, Redis and replicas of each
// service, all on loopback.
package shape

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"example.com/hub/test/server"
)

// Hubs are the names of the hubs, which are those of their binaries and databases, too.
func Hubs() []string { return []string{"todohub", "messagehub", "portalhub"} }

// Services are the names of all binaries of the shape.
func Services() []string { return append([]string{"edge"}, Hubs()...) }

// EachHub gives every hub the addresses that it is called for, for Config.Hubs.
func EachHub(addresses func() []Address) map[string][]Address {
	all := map[string][]Address{}
	for _, hub := range Hubs() {
		all[hub] = addresses()
	}
	return all
}

// startTime bounds the wait for a replica to become ready.
const startTime = 30 * time.Second

// Address is where a replica listens, host:port each.
type Address struct {
	// Public is for callers: REST of an edge, gRPC of a hub.
	Public string
	// Admin is for health.
	Admin string
}

// Config says what to run.
type Config struct {
	// Bin is the folder of the services' binaries.
	Bin string
	// Bins are other folders for single replicas, by the replica's name: edge-1. Bin migrates.
	Bins map[string]string
	// Home is the folder for files that survive; it must exist.
	Home string
	// Edges are the replicas of the edge, and Hubs those of each hub by its name; at least one each.
	Edges []Address
	Hubs  map[string][]Address
	// Logins are the roles of PostgreSQL that hubs log in as, by the hub's name; without one it is the
	// cluster's superuser.
	Logins map[string]string
	// TLS encrypts all connections, with an authority of the shape's own. Edges and hubs then know
	// each other by their certificates, without a key.
	TLS bool
	// Environ are settings for every replica, NAME=value.
	Environ []string
	// Own are further settings of single replicas, by the replica's name: edge-1. They win.
	Own map[string][]string
	// Out gets what the replicas write, each line with the replica's name.
	Out io.Writer
}

// Shape is Hub while it runs.
type Shape struct {
	// Postgres and Redis are the servers.
	Postgres, Redis *server.Server
	// Replicas are in the order of their start.
	Replicas []*Replica

	cfg       Config
	authority *authority // nil without TLS
}

// Start starts everything and waits until it is ready. On an error nothing stays running.
func Start(ctx context.Context, cfg Config, durability server.Durability) (_ *Shape, err error) {
	s := &Shape{cfg: cfg}
	defer func() {
		if err != nil {
			s.Stop()
		}
	}()
	if cfg.TLS {
		if err := s.certify(); err != nil {
			return nil, fmt.Errorf("make certificates: %w", err)
		}
	}
	if s.Postgres, err = s.startPostgres(ctx, durability); err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	if s.Redis, err = s.startRedis(ctx); err != nil {
		return nil, fmt.Errorf("start Redis: %w", err)
	}
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	for _, p := range s.plans() {
		r, err := p.start(cfg)
		if err != nil {
			return nil, fmt.Errorf("start %s: %w", p.name, err)
		}
		s.Replicas = append(s.Replicas, r)
	}
	for _, r := range s.Replicas {
		if err := r.Ready(ctx, startTime); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Replica gives the replica of a name, or nil.
func (s *Shape) Replica(name string) *Replica {
	for _, r := range s.Replicas {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// Restart starts a replica again that has ended, at the same addresses, and waits until it is ready.
func (s *Shape) Restart(ctx context.Context, name string) error {
	for i, r := range s.Replicas {
		if r.Name != name {
			continue
		}
		again, err := r.plan.start(s.cfg)
		if err != nil {
			return fmt.Errorf("start %s: %w", name, err)
		}
		s.Replicas[i] = again
		return again.Ready(ctx, startTime)
	}
	return fmt.Errorf("there is no replica %s", name)
}

// Stop ends the replicas in order, then the servers.
func (s *Shape) Stop() {
	var all sync.WaitGroup
	for _, r := range s.Replicas {
		all.Go(r.Stop)
	}
	all.Wait()
	for _, srv := range []*server.Server{s.Redis, s.Postgres} {
		if srv != nil {
			srv.Stop()
		}
	}
}

// Database is the connection string of a hub's database.
func (s *Shape) Database(hub string) string {
	address := s.Postgres.Address + " dbname=" + hub
	if login := s.cfg.Logins[hub]; login != "" {
		address += " user=" + login // the last one counts
	}
	return address
}

func (s *Shape) file(name string) string { return filepath.Join(s.cfg.Home, name) }

// prepare writes the demo clients and the keys, and migrates the databases.
func (s *Shape) prepare(ctx context.Context) error {
	if err := s.writeClients(); err != nil {
		return err
	}
	for _, file := range []string{"signing-keys.pem", "ticket-keys.pem"} {
		err := s.writeOnce(file, func() ([]byte, error) {
			return exec.CommandContext(ctx, filepath.Join(s.cfg.Bin, "edge"), "new-key").Output()
		})
		if err != nil {
			return fmt.Errorf("edge new-key: %w", err)
		}
	}
	for _, file := range []string{"internal-key", "secrets"} {
		if err := s.writeOnce(file, func() ([]byte, error) { return []byte(rand.Text() + rand.Text() + "\n"), nil }); err != nil {
			return err
		}
	}
	for _, hub := range Hubs() {
		if err := Migrate(ctx, s.cfg.Bin, hub, s.Database(hub)); err != nil {
			return err
		}
	}
	return nil
}

// Migrate runs the command of a hub that brings a database up to date, with the binary in the folder bin.
func Migrate(ctx context.Context, bin, hub, database string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(bin, hub), "migrate")
	cmd.Env = append(os.Environ(), "HUB_DATABASE_URL="+database)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s migrate: %w\n%s", cmd.Path, err, out)
	}
	return nil
}

// writeClients writes the clients of a Hub on a desk: erp and portal call the hubs, hr feeds the directory, and
// limited lacks the scope.
func (s *Shape) writeClients() error {
	type client struct {
		ID     string   `json:"id"`
		Secret string   `json:"secret_sha256"`
		Scopes []string `json:"scopes"`
	}
	demo := func(id, scope string) client {
		sum := sha256.Sum256([]byte(id + "-secret"))
		return client{ID: id, Secret: hex.EncodeToString(sum[:]), Scopes: []string{scope}}
	}
	file := map[string][]client{"clients": {demo("erp", "client"), demo("portal", "client"), demo("hr", "directory"), demo("limited", "profile")}}
	data, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(s.file("clients.json"), append(data, '\n'), 0o600)
}

func (s *Shape) writeOnce(name string, content func() ([]byte, error)) error {
	if _, err := os.Stat(s.file(name)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	data, err := content()
	if err != nil {
		return err
	}
	return os.WriteFile(s.file(name), data, 0o600)
}
