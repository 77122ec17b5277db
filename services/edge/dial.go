package edge

import (
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
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

// Dial makes a connection to all replicas of a hub. The target is a gRPC target, such as
// dns:///todohub:9090, or addresses separated by commas. maxReceive is the largest answer in bytes.
// Nothing is connected before the first call.
func Dial(target string, maxReceive int) (*grpc.ClientConn, error) {
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(serviceConfig),
		grpc.WithDisableServiceConfig(), // that of a DNS record
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxReceive)),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: pingInterval, Timeout: pingTimeout, PermitWithoutStream: true,
		}),
	}
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

func endpoints(addresses []string) []resolver.Endpoint {
	all := make([]resolver.Endpoint, len(addresses))
	for i, a := range addresses {
		all[i].Addresses = []resolver.Address{{Addr: strings.TrimSpace(a)}}
	}
	return all
}
