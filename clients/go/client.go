package hub

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// Config says how to reach Hub, and as whom.
type Config struct {
	// Target is where both hubs answer by native gRPC, as in the binary hub: host:port, or any target of
	// gRPC. A name with more than one address (dns:///todohub:9090) is called at each in turn.
	Target string
	// Todos and Messages are the targets of todohub and messagehub where these differ; each is Target by default.
	Todos, Messages string
	// Tokens give the token of each call; required.
	Tokens TokenSource

	// TLS is for authorities, names and certificates of your own; nil trusts the system's authorities.
	TLS *tls.Config
	// Plaintext sends calls, and the token with them, without TLS: on loopback, or where the network encrypts.
	Plaintext bool

	// UserAgent begins the user agent of the calls; empty is "hub-go".
	UserAgent string
	// Timeout bounds a call, with its repeats, whose context has no deadline; 0 is 30 seconds.
	Timeout time.Duration
	// MaxTargets is how many targets one call of a push has; 0 is 10,000, what Hub takes by default
	// (HUB_MAX_TARGETS).
	MaxTargets int
	// Options are further ones of the connections; they come last.
	Options []grpc.DialOption
}

const (
	defaultTimeout    = 30 * time.Second
	defaultMaxTargets = 10_000
	// maxAnswer bounds an answer in bytes: a page of 200 inbox records of the largest kind has 50 MiB.
	maxAnswer = 64 << 20
	// maxConnect bounds the wait between two attempts to connect, so that a Hub that is back is found soon.
	maxConnect = 5 * time.Second
	// A connection on which a call waits is asked for a sign of life, as often as Hub allows with room to spare.
	pingInterval, pingTimeout = 10 * time.Second, 5 * time.Second
)

// Client calls Hub. It may be used from many goroutines; a process needs one.
//
// A call that fails for the moment is repeated until its context ends: with UNAVAILABLE, with DEADLINE_EXCEEDED
// that is the server's, and with RESOURCE_EXHAUSTED where Hub says how long to wait. Every call of the two
// services may be repeated without harm, since Hub knows an item by its todo id, a message by its
// source_message_id and user, and the rest changes nothing the second time:
//
//   - UpsertTodo and BatchUpsertTodos store the same again. Where somebody else changed the item in between, the
//     repeat may undo that; a source_version keeps the order.
//   - ClearTodo and InvalidateTodo answer the item as stored.
//   - PushMessage leaves the records that are there, and counts them as duplicates.
//   - MarkRead, MarkAllRead and ReconcileTodos change what is left to change, and count only that.
//
// A method that this version does not know is not repeated. Errors are an [Error].
type Client struct {
	// Todos are the calls of todohub.
	Todos todov1.TodoServiceClient
	// Messages are the calls of messagehub.
	Messages messagev1.MessageServiceClient

	conns      []*grpc.ClientConn
	maxTargets int
}

// Dial makes a client. It does not connect before the first call, so an error is one of the Config.
func Dial(c Config) (*Client, error) {
	todos, messages := cmp.Or(c.Todos, c.Target), cmp.Or(c.Messages, c.Target)
	switch {
	case todos == "" || messages == "":
		return nil, errors.New("hub: Target is empty, and Todos or Messages, too")
	case c.Tokens == nil:
		return nil, errors.New("hub: Tokens are missing")
	case c.Plaintext && c.TLS != nil:
		return nil, errors.New("hub: Plaintext leaves no use for TLS")
	}
	client := &Client{maxTargets: cmp.Or(c.MaxTargets, defaultMaxTargets)}
	connect := func(target string) (*grpc.ClientConn, error) {
		conn, err := grpc.NewClient(target, options(c)...)
		if err != nil {
			_ = client.Close()
			return nil, fmt.Errorf("hub: target %q: %w", target, err)
		}
		client.conns = append(client.conns, conn)
		return conn, nil
	}
	conn, err := connect(todos)
	if err != nil {
		return nil, err
	}
	client.Todos = todov1.NewTodoServiceClient(conn)
	if messages != todos {
		if conn, err = connect(messages); err != nil {
			return nil, err
		}
	}
	client.Messages = messagev1.NewMessageServiceClient(conn)
	return client, nil
}

// Close ends the connections, and with them calls that are under way.
func (c *Client) Close() error {
	var all []error
	for _, conn := range c.conns {
		all = append(all, conn.Close())
	}
	return errors.Join(all...)
}

func options(c Config) []grpc.DialOption {
	transport := credentials.NewTLS(c.TLS)
	if c.Plaintext {
		transport = insecure.NewCredentials()
	}
	calls := &caller{tokens: c.Tokens, timeout: cmp.Or(c.Timeout, defaultTimeout)}
	connecting := backoff.DefaultConfig
	connecting.MaxDelay = maxConnect
	return append([]grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithUserAgent(cmp.Or(c.UserAgent, defaultAgent)),
		grpc.WithUnaryInterceptor(calls.call),
		grpc.WithDisableRetry(), // caller repeats; what never left this machine is sent again all the same
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig":[{"round_robin":{}}]}`),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer)),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pingInterval, Timeout: pingTimeout}),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: connecting, MinConnectTimeout: maxConnect}),
	}, c.Options...)
}
