package hub

import (
	"context"
	"math/rand/v2"
	"time"
)

// jitter is the wait before attempt n+1, from 1: by chance between 0 and first, which doubles with each attempt up
// to most, so that clients that failed together do not come back together.
func jitter(first, most time.Duration, n int) time.Duration {
	for ; n > 1 && first < most; n-- {
		first *= 2
	}
	return rand.N(max(min(first, most), 1))
}

// sleep waits for d, or until ctx ends, which it tells.
func sleep(ctx context.Context, d time.Duration) (whole bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
