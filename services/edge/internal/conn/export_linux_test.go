package conn

// Polled tells for how many connections a Poller waits.
func Polled(p *Poller) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns)
}
