package allinone

import (
	"errors"
	"fmt"
	"net"

	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/log"
	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/telemetry/tracing"
	"example.com/hub/pkg/tlsfiles"
	"example.com/hub/services/edge"
	"example.com/hub/services/portalhub/blob"
)

// Config are the settings of the one-process Hub. Everything has a default that works on a desk.
type Config struct {
	HTTPAddr   string `env:"HUB_HTTP_ADDR"       envDefault:"127.0.0.1:8080" first:"true" help:"address of REST and streams, host:port"`
	GRPCAddr   string `env:"HUB_GRPC_ADDR"       envDefault:"127.0.0.1:9090" help:"address of native gRPC, host:port"`
	AdminAddr  string `env:"HUB_ADMIN_ADDR"                                  help:"address of /livez, /readyz, /metrics and /debug/pprof/, host:port; not for callers; empty: none"`
	DataDir    string `env:"HUB_DATA_DIR"        envDefault:"data"           first:"true" help:"folder of the SQLite files, the signing keys and the keys of cookies"`
	FilesURL   string `env:"HUB_FILES_URL"                                   help:"folder of the files that are uploaded, as file:PATH; empty: files in HUB_DATA_DIR"`
	DemoData   bool   `env:"HUB_DEMO_DATA"       envDefault:"true"           help:"whether the demo users of an empty data folder have todos and messages to look at"`
	Reflection bool   `env:"HUB_GRPC_REFLECTION" envDefault:"true"           help:"whether gRPC clients may ask for the services"`

	Log   log.Config       `group:"Logs"`
	Auth  token.Settings   `group:"Tokens"`
	Trace tracing.Config   `group:"Traces"`
	Limit ratelimit.Config `group:"Limits of clients"`
	Edge  edge.Config
	Hubs  hubsConfig

	TLS      tlsfiles.ListenerSettings `group:"TLS"`
	AdminTLS tlsfiles.AdminSettings    `group:"TLS"`
}

// Validate refuses the demo clients, whose secrets everybody knows, where others can reach them.
func (c Config) Validate() error {
	faults := []error{
		c.validateAddr("HUB_HTTP_ADDR", c.HTTPAddr),
		c.validateAddr("HUB_GRPC_ADDR", c.GRPCAddr),
	}
	if c.AdminAddr != "" {
		faults = append(faults, c.validateAddr("HUB_ADMIN_ADDR", c.AdminAddr))
	}
	if _, err := c.filesFolder(""); err != nil {
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// filesFolder is where files are kept. A bucket is for portalhub, which may have several replicas.
func (c Config) filesFolder(own string) (string, error) {
	if c.FilesURL == "" {
		return own, nil
	}
	place, err := blob.Parse(c.FilesURL)
	if err == nil && place.Folder == "" {
		err = errors.New("must be file: and a folder; only portalhub keeps files in a bucket")
	}
	if err != nil {
		return "", fmt.Errorf("HUB_FILES_URL: %w", err)
	}
	return place.Folder, nil
}

func (c Config) validateAddr(name, addr string) error {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return fmt.Errorf("%s: must be host:port, not %q", name, addr)
	}
	if c.demo() && !edge.Loopback(addr) {
		return fmt.Errorf("%s: %s is not loopback, which needs clients of your own in HUB_CLIENTS_FILE, or HUB_ISSUER_URL", name, addr)
	}
	return nil
}

// demo tells whether the demo clients get tokens: when neither others nor an outside provider are named.
func (c Config) demo() bool { return c.Edge.Issuer.ClientsFile == "" && c.Auth.IssuerURL == "" }
