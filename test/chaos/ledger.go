package chaos

import (
	"slices"
	"sync"
	"time"
)

// deed is a call that was answered with 200.
type deed struct {
	// kind is that of the events which it causes: message or read.
	kind string
	// id is that of the message, users are whom it concerns.
	id    string
	users []string
	// sent is the time of the first attempt, answered that of the answer.
	sent, answered time.Time
}

// failure is a call, or an attempt at one, that was not answered with 200.
type failure struct {
	at  time.Time
	err error
}

// ledger keeps what was answered, for the comparison with what was seen.
type ledger struct {
	mu       sync.Mutex
	deeds    []deed
	failures []failure
	owed     map[string]map[string]int // by user and kind, how many different events
}

func newLedger() *ledger { return &ledger{owed: map[string]map[string]int{}} }

func (l *ledger) answered(d deed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deeds = append(l.deeds, d)
	for _, user := range d.users {
		if l.owed[user] == nil {
			l.owed[user] = map[string]int{}
		}
		l.owed[user][d.kind]++
	}
}

func (l *ledger) failed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures = append(l.failures, failure{time.Now(), err})
}

// all gives the deeds and the failures up to now.
func (l *ledger) all() ([]deed, []failure) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.deeds), slices.Clone(l.failures)
}

// answers gives the number of deeds up to now.
func (l *ledger) answers() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.deeds)
}

// debt is how many events each user must see of what was answered up to now.
func (l *ledger) debt() map[string]map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	debt := make(map[string]map[string]int, len(l.owed))
	for user, kinds := range l.owed {
		debt[user] = map[string]int{}
		for kind, n := range kinds {
			debt[user][kind] = n
		}
	}
	return debt
}
