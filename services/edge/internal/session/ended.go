package session

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

const (
	// remembered is for how long an edge knows that a session was ended. Then no cookie of it is good by
	// itself any more, also not one that another edge has renewed meanwhile, with a clock that is ahead.
	remembered = Validity + time.Minute
	// maxEnded bounds the memory of them to some 20 MB; beyond it the oldest is forgotten.
	maxEnded = 100_000
)

// ended are the sessions that were ended of late, with the time at which this edge forgets them.
type ended struct{ until *lru.Cache[string, time.Time] }

func newEnded() *ended {
	until, err := lru.New[string, time.Time](maxEnded)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &ended{until}
}

func (e *ended) add(id string, now time.Time) { e.until.Add(id, now.Add(remembered)) }

func (e *ended) has(id string, now time.Time) bool {
	until, ok := e.until.Peek(id)
	return ok && now.Before(until)
}
