package chaos

import (
	"strings"
	"sync"
	"time"
)

// tape records what the replicas write, with the time.
type tape struct {
	mu    sync.Mutex
	lines []line
}

type line struct {
	at   time.Time
	text string
}

// Write takes whole lines.
func (t *tape) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for text := range strings.Lines(string(b)) {
		t.lines = append(t.lines, line{now, strings.TrimSuffix(text, "\n")})
	}
	return len(b), nil
}

// find gives the first line from a time on that a replica wrote with some text in it.
func (t *tape) find(replica, text string, since time.Time) (line, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.lines {
		if !l.at.Before(since) && strings.HasPrefix(l.text, replica+" ") && strings.Contains(l.text, text) {
			return l, true
		}
	}
	return line{}, false
}

// String gives the last lines.
func (t *tape) String() string {
	const most = 200
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	for _, l := range t.lines[max(0, len(t.lines)-most):] {
		b.WriteString(l.at.Format("15:04:05.000 ") + l.text + "\n")
	}
	return b.String()
}
