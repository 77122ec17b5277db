package field

// The most entries of the lists of a push, and of those of todos. The contract names none. An edge hands one more on at most, so
// that a hub sees that there are too many; a larger number must reach the edges before the hubs.
const (
	MaxActions = 20
	// MaxTargets is the most that HUB_MAX_TARGETS may allow.
	MaxTargets = 100_000
	MaxBatch   = 500
	// MaxOpen is what a client may say to be open in one reconcile.
	MaxOpen = 20_000
	// MaxSearched is how many users an administrator's list may be of.
	MaxSearched = 5000
)
