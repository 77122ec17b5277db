package hub

import (
	"errors"
	"fmt"
	"time"

	"example.com/hub/pkg/auth/internalkey"
	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/process"
	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/tlsfiles"
)

// Config are the settings that all hubs share.
type Config struct {
	GRPCAddr   string        `env:"HUB_GRPC_ADDR"       envDefault:":9090" help:"address of gRPC, host:port"`
	Reflection bool          `env:"HUB_GRPC_REFLECTION" envDefault:"false" help:"whether gRPC clients may ask for the services"`
	MaxAge     time.Duration `env:"HUB_MAX_CONNECTION_AGE" envDefault:"5m" help:"when a gRPC connection ends, so that callers behind a load balancer find new replicas, at least 1s"`

	process.Config
	Database pg.Config            `group:"Database"`
	Auth     token.Settings       `group:"Tokens"`
	Limit    ratelimit.Config     `group:"Limits of clients"`
	TLS      tlsfiles.HubSettings `group:"TLS"`
}

// CheckEdges wants certificates to be verified where names of them matter.
func (c Config) CheckEdges(s internalkey.ServerSettings) error {
	if len(s.ClientNames) > 0 && c.TLS.ClientCAFile == "" {
		return errors.New("HUB_INTERNAL_CLIENT_NAMES: needs HUB_TLS_CLIENT_CA_FILE")
	}
	return nil
}

// Validate checks the range, and that the issuer of the tokens is named.
func (c Config) Validate() error {
	faults := []error{c.Auth.NeedIssuer()}
	if c.MaxAge < time.Second {
		faults = append(faults, fmt.Errorf("HUB_MAX_CONNECTION_AGE: must be at least 1s, not %s", c.MaxAge))
	}
	return errors.Join(faults...)
}
