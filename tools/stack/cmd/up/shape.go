package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// publicURL names the issuer of tokens; every replica must know the same.
const publicURL = "http://127.0.0.1:8081"

// shape is what runs where.
type shape struct {
	bin, home       string
	postgres, redis string
}

type replica struct {
	name, binary string
	admin        string
	environ      []string
}

func (s shape) replicas() []replica {
	verify := []string{"HUB_PUBLIC_URL=" + publicURL, "HUB_JWKS_URL=" + publicURL + "/.well-known/jwks.json"}
	hub := func(name, binary, grpc, admin, database string) replica {
		return replica{name: name, binary: binary, admin: admin, environ: append([]string{
			"HUB_GRPC_ADDR=" + grpc,
			"HUB_ADMIN_ADDR=" + admin,
			"HUB_DATABASE_URL=" + s.database(database),
			"HUB_REDIS_URL=" + s.redis,
		}, verify...)}
	}
	edge := func(name, http, admin string) replica {
		return replica{name: name, binary: "edge", admin: admin, environ: []string{
			"HUB_HTTP_ADDR=" + http,
			"HUB_ADMIN_ADDR=" + admin,
			"HUB_PUBLIC_URL=" + publicURL,
			"HUB_REDIS_URL=" + s.redis,
			"HUB_TODOHUB_TARGET=127.0.0.1:9101,127.0.0.1:9111",
			"HUB_MESSAGEHUB_TARGET=127.0.0.1:9102,127.0.0.1:9112",
			"HUB_CLIENTS_FILE=" + s.clientsFile(),
			"HUB_SIGNING_KEYS_FILE=" + s.keysFile(),
		}}
	}
	return []replica{
		edge("edge-1", "127.0.0.1:8081", "127.0.0.1:8181"),
		edge("edge-2", "127.0.0.1:8082", "127.0.0.1:8182"),
		hub("todohub-1", "todohub", "127.0.0.1:9101", "127.0.0.1:9201", "todohub"),
		hub("todohub-2", "todohub", "127.0.0.1:9111", "127.0.0.1:9211", "todohub"),
		hub("messagehub-1", "messagehub", "127.0.0.1:9102", "127.0.0.1:9202", "messagehub"),
		hub("messagehub-2", "messagehub", "127.0.0.1:9112", "127.0.0.1:9212", "messagehub"),
	}
}

func (s shape) database(name string) string { return s.postgres + " dbname=" + name }
func (s shape) clientsFile() string         { return filepath.Join(s.home, "clients.json") }
func (s shape) keysFile() string            { return filepath.Join(s.home, "signing-keys.pem") }

// prepare writes the demo clients and a signing key, and migrates the databases.
func (s shape) prepare(ctx context.Context) error {
	if err := s.writeClients(); err != nil {
		return err
	}
	if err := s.writeKey(ctx); err != nil {
		return err
	}
	for _, hub := range []string{"todohub", "messagehub"} {
		cmd := exec.CommandContext(ctx, filepath.Join(s.bin, hub), "migrate")
		cmd.Env = append(os.Environ(), "HUB_DATABASE_URL="+s.database(hub))
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s migrate: %w\n%s", hub, err, out)
		}
	}
	return nil
}

func (s shape) writeClients() error {
	type client struct {
		ID     string   `json:"id"`
		Secret string   `json:"secret_sha256"`
		Scopes []string `json:"scopes"`
	}
	demo := func(id, scope string) client {
		sum := sha256.Sum256([]byte(id + "-secret"))
		return client{ID: id, Secret: hex.EncodeToString(sum[:]), Scopes: []string{scope}}
	}
	file := map[string][]client{"clients": {demo("erp", "client"), demo("portal", "client"), demo("limited", "profile")}}
	data, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(s.clientsFile(), append(data, '\n'), 0o600)
}

func (s shape) writeKey(ctx context.Context) error {
	if _, err := os.Stat(s.keysFile()); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	key, err := exec.CommandContext(ctx, filepath.Join(s.bin, "edge"), "new-key").Output()
	if err != nil {
		return fmt.Errorf("edge new-key: %w", err)
	}
	return os.WriteFile(s.keysFile(), key, 0o600)
}

func (s shape) welcome(w io.Writer) {
	fmt.Fprintf(w, `
Hub is up in its distributed shape. Ctrl-C ends everything.

  edge         http://127.0.0.1:8081   http://127.0.0.1:8082   REST and streams
  todohub      127.0.0.1:9101          127.0.0.1:9111          gRPC
  messagehub   127.0.0.1:9102          127.0.0.1:9112          gRPC
  health       http://127.0.0.1:PORT/readyz with 8181 8182 9201 9211 9202 9212
  PostgreSQL   psql '%s'
  Redis        redis-cli -s %s
  data         %s
  clients      erp/erp-secret, portal/portal-secret, limited/limited-secret (lacks the scope)

Try it from another terminal:

  HUB_TARGET_URL=http://127.0.0.1:8081 go test -count=1 ./contract

`, s.database("messagehub"), filepath.Join(s.home, "redis.sock"), s.home)
}
