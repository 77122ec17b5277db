package catchup

// Remembered tells how many frames a feed would know again.
func Remembered(f *Feed) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.seen.current) + len(f.seen.previous)
}
