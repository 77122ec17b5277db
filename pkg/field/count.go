package field

// The most entries of the lists of a push. The contract names none. An edge hands one more on at most, so
// that a hub sees that there are too many; a larger number must reach the edges before the hubs.
const (
	MaxActions = 20
	// MaxTargets is the most that HUB_MAX_TARGETS may allow.
	MaxTargets = 100_000
)
