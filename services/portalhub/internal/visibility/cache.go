package visibility

import (
	"context"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

const (
	// Fresh is how long the subjects of a viewer count without being asked for again.
	Fresh = time.Minute
	// maxViewers is how many are remembered; each takes some hundred bytes.
	maxViewers = 10_000
)

// Cache remembers subjects for a while.
type Cache struct {
	of    Subjects
	clock func() time.Time
	known *lru.Cache[string, viewer]
}

type viewer struct {
	subjects []string
	until    time.Time
}

// NewCache makes one; nil for the clock means time.Now.
func NewCache(of Subjects, clock func() time.Time) *Cache {
	if clock == nil {
		clock = time.Now
	}
	known, err := lru.New[string, viewer](maxViewers)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &Cache{of, clock, known}
}

// Subjects implements Subjects. Failures are not remembered.
func (c *Cache) Subjects(ctx context.Context, username string) ([]string, error) {
	now := c.clock()
	if v, ok := c.known.Get(username); ok && now.Before(v.until) {
		return v.subjects, nil
	}
	subjects, err := c.of.Subjects(ctx, username)
	if err != nil {
		return nil, err
	}
	c.known.Add(username, viewer{subjects, now.Add(Fresh)})
	return subjects, nil
}
