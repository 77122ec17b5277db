package edge

import (
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"

	"example.com/hub/pkg/tlsfiles"
	"example.com/hub/services/edge/internal/rest"
)

// serviceConfig spreads calls over all replicas of a hub and repeats what a replica that went away
// did not answer. Every call of the hubs has the same effect when it is repeated. A hub without its
// database answers with a pushback, which is not repeated (gRPC proposal A6).
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
	}],
	"retryThrottling": {"maxTokens": 100, "tokenRatio": 0.1}
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
	// Address is a gRPC target, such as dns:///todohub:9090, or addresses separated by commas.
	Address string
	// ServerName is the name that the hub's certificate must have; empty means the host of Address.
	ServerName string
	// TLS has the authorities of the hub's certificate and perhaps one of the edge's own; nil is plain
	// text.
	TLS *tlsfiles.Files
	// MaxReceive is the largest answer in bytes.
	MaxReceive int
}

// Dial makes a connection to all replicas of a hub. Nothing is connected before the first call.
func Dial(t Target) (*grpc.ClientConn, error) {
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(t.TLS.Credentials()),
		grpc.WithDefaultServiceConfig(serviceConfig),
		grpc.WithDisableServiceConfig(), // that of a DNS record
		// gRPC finds a window of its own by pings, between the answers.
		grpc.WithStaticStreamWindowSize(streamWindow),
		grpc.WithStaticConnWindowSize(connWindow),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(t.MaxReceive), grpc.ForceCodecV2(rest.Codec())),
		grpc.WithConnectParams(reconnect),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: pingInterval, Timeout: pingTimeout, PermitWithoutStream: true,
		}),
	}
	if t.ServerName != "" {
		options = append(options, grpc.WithAuthority(t.ServerName))
	}
	target := t.Address
	if addresses := strings.Split(target, ","); len(addresses) > 1 {
		// The DNS resolver takes one name only.
		replicas := manual.NewBuilderWithScheme("replicas")
		replicas.InitialState(resolver.State{Endpoints: endpoints(addresses)})
		options = append(options, grpc.WithResolvers(replicas))
		target = "replicas:///hub"
	}
	conn, err := grpc.NewClient(target, options...)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", target, err)
	}
	return conn, nil
}

// endpoints have each address for the name of its certificate, too.
func endpoints(addresses []string) []resolver.Endpoint {
	all := make([]resolver.Endpoint, len(addresses))
	for i, a := range addresses {
		a = strings.TrimSpace(a)
		all[i].Addresses = []resolver.Address{{Addr: a, ServerName: a}}
	}
	return all
}
