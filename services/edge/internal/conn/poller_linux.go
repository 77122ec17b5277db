package conn

import (
	"os"
	"sync"
	"syscall"
	"time"
)

const (
	// awaited is what an epoll set tells of a connection, once each time: that there is something to read, which
	// an end and a fault are, too. The last bit is EPOLLET, which package syscall has as a negative number.
	awaited = syscall.EPOLLIN | syscall.EPOLLRDHUP | 1<<31
	// maxEvents is how many connections are looked at before the set is asked again.
	maxEvents = 128
)

// Poller waits for the clients of many connections to send something or to leave, by an epoll set of its own and
// one goroutine. The zero Poller is ready for use; it has both from the first connection until Close.
//
// The connections stay in the runtime's set, too, which has their deadlines and writers. Their descriptors are
// used inside of RawConn alone, which keeps them from being closed meanwhile, and are remembered nowhere: a
// closed one leaves the set by itself, and an event that is older than that has a number that p knows no more.
type Poller struct {
	start sync.Once
	file  *os.File // the set, which the runtime waits for; nil when there can be none
	set   syscall.RawConn
	loop  sync.WaitGroup

	mu    sync.Mutex
	conns map[uint64]*Conn // by the number that their events have
	last  uint64           // the number that was given last; none is given twice
}

// Close has p wait for nobody any more; it is for when all connections have ended. One that comes later has a
// goroutine.
func (p *Poller) Close() {
	p.start.Do(func() {})
	if p.file != nil {
		_ = p.file.Close()
		p.loop.Wait()
	}
}

// open makes the set. Where limits prevent that, or the runtime cannot wait for it, there is none.
func (p *Poller) open() {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return
	}
	_ = syscall.SetNonblock(fd, true) // so that os.NewFile hands it to the runtime
	file := os.NewFile(uintptr(fd), "epoll")
	set, err := file.SyscallConn()
	if err != nil || file.SetReadDeadline(time.Time{}) != nil {
		_ = file.Close()
		return
	}
	p.file, p.set, p.conns = file, set, map[uint64]*Conn{}
	p.loop.Go(p.run)
}

// add waits for c, which is locked, if that can be done.
func (p *Poller) add(c *Conn) bool {
	if c.raw == nil || c.shim != nil {
		return false
	}
	if p.start.Do(p.open); p.file == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	event := syscall.EpollEvent{Events: awaited, Fd: int32(p.last), Pad: int32(p.last >> 32)}
	added := false
	_ = p.set.Control(func(set uintptr) {
		_ = c.raw.Control(func(fd uintptr) {
			added = syscall.EpollCtl(int(set), syscall.EPOLL_CTL_ADD, int(fd), &event) == nil
		})
	})
	if added {
		c.poller, c.number = p, p.last
		p.conns[c.number] = c
	}
	return added
}

// remove forgets c, which is closed.
func (p *Poller) remove(c *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c.number)
}

// get gives the connection of an event; nil when it has ended since.
func (p *Poller) get(e *syscall.EpollEvent) *Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conns[uint64(uint32(e.Pad))<<32|uint64(uint32(e.Fd))]
}

// run reads what clients have sent, until Close.
func (p *Poller) run() {
	events := make([]syscall.EpollEvent, maxEvents)
	buf := make([]byte, maxExtra)
	var n int
	take := func(set uintptr) bool {
		n, _ = syscall.EpollWait(int(set), events, 0)
		return n > 0 // else the runtime waits for the next
	}
	for p.set.Read(take) == nil {
		for i := range events[:n] {
			if c := p.get(&events[i]); c != nil && c.left(buf) {
				c.Close()
			}
		}
	}
}

// left reads all that the client has sent, and tells whether it is gone, or sent too much. What the event said
// does not matter.
func (c *Conn) left(buf []byte) (left bool) {
	err := c.raw.Read(func(fd uintptr) bool {
		for !left {
			n, err := syscall.Read(int(fd), buf)
			switch {
			case err == syscall.EAGAIN:
				return true
			case err == syscall.EINTR:
			case err != nil || n == 0:
				left = true
			default:
				c.extra += n
				left = c.extra > maxExtra
			}
		}
		return true // never waits
	})
	return left || err != nil
}
