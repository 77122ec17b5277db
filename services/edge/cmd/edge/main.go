// Command edge serves REST and streams in front of the hubs.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"example.com/hub/pkg/auth/internalkey"
	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/cli"
	"example.com/hub/pkg/process"
	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/redis"
	"example.com/hub/pkg/tlsfiles"
	"example.com/hub/services/edge"
	"example.com/hub/services/edge/internal/replicas"
)

type config struct {
	HTTPAddr string `env:"HUB_HTTP_ADDR"         envDefault:":8080" help:"address of REST and streams, host:port"`

	process.Config
	Targets  targets
	Auth     token.Settings       `group:"Tokens"`
	Internal internalkey.Settings `group:"Calls to the hubs"`
	Redis    redis.Config
	Limit    ratelimit.Config `group:"Limits of clients"`
	Edge     edge.Config
	TLS      tlsfiles.ListenerSettings `group:"TLS"`
	Hubs     tlsfiles.ClientSettings   `group:"Calls to the hubs"`
	Replicas replicas.Config           `group:"Calls to the hubs"`
}

// Validate checks what the hubs and Hub's own issuer cannot do without.
func (c config) Validate() error {
	faults := []error{c.Auth.NeedIssuer(), c.Targets.validate(c.Hubs)}
	if c.Internal.KeyFile == "" && c.Hubs.CertFile == "" {
		faults = append(faults, errors.New("HUB_INTERNAL_KEY_FILE: must not be empty without HUB_HUBS_CERT_FILE"))
	}
	switch secrets, logins := c.Edge.Browser.Secrets.File != "", c.Edge.Users.Login.ClientID != ""; {
	case secrets:
		faults = append(faults, edge.CheckBrowsers(c.Auth.PublicURL))
	case logins:
		faults = append(faults, errors.New("HUB_LOGIN_CLIENT_ID: needs HUB_SECRETS_FILE"))
	}
	if c.Edge.Tickets.KeysFile != "" && c.Auth.PublicURL == "" {
		faults = append(faults, errors.New("HUB_TICKET_KEYS_FILE: needs HUB_PUBLIC_URL"))
	}
	if c.Auth.IssuerURL == "" {
		for _, file := range [][2]string{
			{"HUB_CLIENTS_FILE", c.Edge.Issuer.ClientsFile},
			{"HUB_SIGNING_KEYS_FILE", c.Edge.Issuer.SigningKeysFile},
		} {
			if file[1] == "" {
				faults = append(faults, fmt.Errorf("%s: must not be empty without HUB_ISSUER_URL", file[0]))
			}
		}
	}
	return errors.Join(faults...)
}

func main() {
	var cfg config
	os.Exit(cli.Program{
		Name:    "edge",
		Summary: "REST and event streams in front of Hub's services.",
		Commands: []cli.Command{
			{
				Name: "serve", Help: "serves until SIGTERM", Settings: &cfg,
				Run: func(ctx context.Context, io cli.IO, _ []string) error { return serve(ctx, io, cfg) },
			},
			{
				Name: "new-key", Help: "prints a signing key for HUB_SIGNING_KEYS_FILE",
				Run: func(_ context.Context, io cli.IO, _ []string) error { return newKey(io) },
			},
			edge.NewClientCommand(),
		},
	}.Main())
}

func newKey(io cli.IO) error {
	key, err := edge.NewSigningKey()
	if err != nil {
		return err
	}
	_, err = io.Out.Write(key)
	return err
}
