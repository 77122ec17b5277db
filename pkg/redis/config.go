// Package redis opens Redis, and keeps subscriptions to its channels.
package redis

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/redis/go-redis/v9"
)

// Client is a client of one Redis or of a Redis Cluster.
type Client = redis.UniversalClient

// Config says where Redis is.
type Config struct {
	URL string `env:"HUB_REDIS_URL" envDefault:"redis://127.0.0.1:6379" secret:"true" first:"true" help:"Redis, a redis://, rediss:// or unix:// URL; of a Redis Cluster one node, the others as addr parameters"`
}

// Validate checks the URL without connecting.
func (c Config) Validate() error {
	client, err := c.open()
	if err != nil {
		return err
	}
	return client.Close()
}

// Open makes a client, which connects when it is used. The logger gets what all Redis clients of the
// process have to say.
func (c Config) Open(logger *slog.Logger) (Client, error) {
	logTo(logger)
	return c.open()
}

func (c Config) open() (Client, error) {
	client, err := NewClient(c.URL)
	if err != nil {
		return nil, fmt.Errorf("HUB_REDIS_URL: %w", err)
	}
	return client, nil
}

// NewClient makes a client for a redis://, rediss:// or unix:// URL, of a Redis Cluster if it has addr
// parameters. The client heeds context deadlines, and dials within 1 s.
func NewClient(address string) (Client, error) {
	// The errors of the parsers may quote the URL, which may hold a password.
	if u, err := url.Parse(address); err == nil && u.Query().Has("addr") {
		o, err := redis.ParseClusterURL(address)
		if err != nil {
			return nil, errors.New("not a URL of a Redis Cluster")
		}
		o.ContextTimeoutEnabled = true
		o.DialTimeout = time.Second
		o.Protocol = 2 // plain pub/sub replies, and no handshake for cloud maintenance notices
		return redis.NewClusterClient(o), nil
	}
	o, err := redis.ParseURL(address)
	if err != nil {
		return nil, errors.New("not a redis://, rediss:// or unix:// URL")
	}
	o.ContextTimeoutEnabled = true
	o.DialTimeout = time.Second
	o.Protocol = 2
	return redis.NewClient(o), nil
}
