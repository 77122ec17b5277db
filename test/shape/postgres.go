package shape

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"

	"example.com/hub/test/server"
)

// startPostgres keeps the cluster under home, with a database for each hub. Where PostgreSQL runs as
// another user who cannot reach that folder, as in a clone below root's home, home only holds a link.
func (s *Shape) startPostgres(ctx context.Context, durability server.Durability) (*server.Server, error) {
	home := s.cfg.Home
	dir := filepath.Join(home, "postgres")
	if !server.Reachable(dir) {
		sum := sha256.Sum256([]byte(home))
		elsewhere := filepath.Join("/var/tmp", "hub-up-"+hex.EncodeToString(sum[:6]))
		if err := os.Symlink(elsewhere, dir); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, err
		}
		dir = elsewhere
	}
	pg, err := s.postgresIn(ctx, dir, durability)
	if err != nil {
		return nil, err
	}
	for _, database := range Hubs() {
		if err := pg.CreateDatabase(ctx, database); err != nil {
			pg.Stop()
			return nil, err
		}
	}
	return pg, nil
}

func (s *Shape) postgresIn(ctx context.Context, dir string, durability server.Durability) (*server.Server, error) {
	if !s.cfg.TLS {
		return server.Postgres(ctx, dir, durability)
	}
	t, err := s.serverTLS("postgres")
	if err != nil {
		return nil, err
	}
	return server.PostgresTLS(ctx, dir, durability, t)
}
