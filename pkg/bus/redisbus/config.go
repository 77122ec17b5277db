package redisbus

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/redis/go-redis/v9"
)

// Config says where Redis is.
type Config struct {
	URL string `env:"HUB_REDIS_URL" envDefault:"redis://127.0.0.1:6379" secret:"true" help:"Redis, a redis://, rediss:// or unix:// URL; of a Redis Cluster one node, the others as addr parameters"`
}

// Validate checks the URL without connecting.
func (c Config) Validate() error {
	client, err := c.open()
	if err != nil {
		return err
	}
	return client.Close()
}

// Open makes a client, for a cluster if the URL has addr parameters. It connects when it is used. The
// logger gets what all Redis clients of the process have to say.
func (c Config) Open(logger *slog.Logger) (redis.UniversalClient, error) {
	logTo(logger)
	return c.open()
}

func (c Config) open() (redis.UniversalClient, error) {
	client, err := c.client()
	if err != nil {
		return nil, fmt.Errorf("HUB_REDIS_URL: %w", err)
	}
	return client, nil
}

func (c Config) client() (redis.UniversalClient, error) {
	u, err := url.Parse(c.URL)
	if err != nil || !u.Query().Has("addr") {
		return NewClient(c.URL)
	}
	o, err := redis.ParseClusterURL(c.URL)
	if err != nil {
		return nil, errors.New("not a URL of a Redis Cluster") // the parser's error may quote a password
	}
	o.ContextTimeoutEnabled = true
	o.DialTimeout = time.Second
	o.Protocol = 2 // as in NewClient
	return redis.NewClusterClient(o), nil
}
