package people

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// remembered are values that count for a while.
type remembered[V any] struct {
	values *lru.Cache[string, dated[V]]
	clock  func() time.Time
}

type dated[V any] struct {
	value V
	until time.Time
}

// newRemembered makes one of a size; nil for the clock means time.Now.
func newRemembered[V any](size int, clock func() time.Time) *remembered[V] {
	if clock == nil {
		clock = time.Now
	}
	values, err := lru.New[string, dated[V]](size)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &remembered[V]{values, clock}
}

func (r *remembered[V]) get(key string) (value V, ok bool) {
	d, ok := r.values.Get(key)
	if !ok || !r.clock().Before(d.until) {
		return value, false
	}
	return d.value, true
}

func (r *remembered[V]) put(key string, value V, keep time.Duration) {
	r.values.Add(key, dated[V]{value, r.clock().Add(keep)})
}
