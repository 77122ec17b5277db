package lifecycle_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/lifecycle"
)

func TestSleep(t *testing.T) {
	for name, c := range map[string]struct {
		sleep, ends, want time.Duration // ends is when the context does
		whole             bool
	}{
		"to the end":            {sleep: time.Minute, ends: time.Hour, want: time.Minute, whole: true},
		"cut short":             {sleep: time.Minute, ends: time.Second, want: time.Second},
		"ended before":          {sleep: time.Minute},
		"ended before no sleep": {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), c.ends)
				defer cancel()
				begin := time.Now()
				if whole := lifecycle.Sleep(ctx, c.sleep); whole != c.whole || time.Since(begin) != c.want {
					t.Errorf("%v after %v, want %v after %v", whole, time.Since(begin), c.whole, c.want)
				}
			})
		})
	}
}
