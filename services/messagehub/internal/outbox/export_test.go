package outbox

// MaxHeard is what tests fill up.
const MaxHeard = maxHeard

// Remembered is the number of rows that are heard and not settled.
func (o *Outbox) Remembered() int {
	o.heard.mu.Lock()
	defer o.heard.mu.Unlock()
	return len(o.heard.rows)
}
