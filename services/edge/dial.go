package edge

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/keepalive"

	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/tlsfiles"
	"example.com/hub/services/edge/internal/replicas"
)

// serviceConfig spreads calls over all replicas of a hub and repeats what a replica that went away
// did not answer. Every call of the hubs has the same effect when it is repeated. A hub without its
// database answers with a pushback, which is not repeated (gRPC proposal A6). What is repeated is thus
// what no replica worked on to its end, three times at most: there is no retryThrottling, which would be
// used up by an outage, or by the calls that one lost replica had, and fail others after it.
const serviceConfig = `{
	"loadBalancingConfig": [{"round_robin": {}}],
	"methodConfig": [{
		"name": [{}],
		"retryPolicy": {
			"maxAttempts": 3,
			"initialBackoff": "0.05s",
			"maxBackoff": "0.5s",
			"backoffMultiplier": 3,
			"retryableStatusCodes": ["UNAVAILABLE"]
		}
	}]
}`

// Keepalive finds dead connections; the hubs allow a ping every 5 s.
const (
	pingInterval = 10 * time.Second
	pingTimeout  = 5 * time.Second
)

// reconnect finds a replica that is back sooner than gRPC's own pace of a second and more: until then
// calls to it fail.
var reconnect = grpc.ConnectParams{
	Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 3 * time.Second},
	MinConnectTimeout: 5 * time.Second,
}

// Windows of flow control in bytes: of a call, enough for any page of usual size, and of a connection.
const (
	streamWindow = 1 << 20
	connWindow   = 4 << 20
)

// Target is a hub to connect to.
type Target struct {
	// Area is that of the hub in metrics: its name without hub.
	Area string
	// Address is a gRPC target, such as dns:///todohub:9090, or addresses separated by commas.
	Address string
	// ServerName is the name that the hub's certificate must have; empty means the host of Address.
	ServerName string
	// TLS has the authorities of the hub's certificate and perhaps one of the edge's own; nil is plain
	// text.
	TLS *tlsfiles.Files
	// Key is the internal key, by which the hub takes tunnels; empty where the certificate in TLS is enough.
	Key string
	// MaxReceive is the largest answer in bytes.
	MaxReceive int
	// Replicas says how the hub's replicas are found and watched. It must be valid.
	Replicas replicas.Config
	// Metrics get those of the replicas. It is one that nobody reads when nil.
	Metrics *telemetry.Registry
	// Logger is slog.Default() when nil.
	Logger *slog.Logger
}

// Dial makes a connection to all replicas of a hub. Nothing is connected before the first call.
func Dial(t Target) (*replicas.Conn, error) {
	common := []grpc.DialOption{
		grpc.WithDisableServiceConfig(), // that of a DNS record
		// gRPC finds a window of its own by pings, between the answers.
		grpc.WithStaticConnWindowSize(connWindow),
		grpc.WithConnectParams(reconnect),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: pingInterval, Timeout: pingTimeout, PermitWithoutStream: true,
		}),
	}
	set := replicas.New(replicas.Deps{
		Config: t.Replicas, Target: t.Address, ServerName: t.ServerName, Credentials: t.TLS.Credentials(),
		Tunnels: replicas.Tunnels{
			Key: t.Key, MaxResponse: t.MaxReceive, Options: slices.Concat(common, []grpc.DialOption{grpc.WithStaticStreamWindowSize(connWindow)}),
		},
		Logger: cmp.Or(t.Logger, slog.Default()),
	})
	conn, err := grpc.NewClient(set.Target(), slices.Concat(common, set.Options(), []grpc.DialOption{
		grpc.WithDefaultServiceConfig(serviceConfig),
		grpc.WithStaticStreamWindowSize(streamWindow),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(t.MaxReceive)),
	})...)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", t.Address, err)
	}
	if t.Metrics != nil {
		set.Measure(t.Metrics, t.Area)
	}
	return set.Conn(conn), nil
}
