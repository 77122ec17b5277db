//go:build unix

package conn

import (
	"net"
	"sync"
	"syscall"
)

// rawConn gives the socket of a plain TCP connection, and nil for every other one: what is written
// past TLS would not be encrypted.
func rawConn(c net.Conn) syscall.RawConn {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}

// attempt is one write; the pool and the bound method keep it free of allocations.
type attempt struct {
	p   []byte
	n   int
	err error
	run func(fd uintptr) bool
}

var attempts = sync.Pool{New: func() any {
	a := &attempt{}
	a.run = a.write
	return a
}}

// tryWrite writes as much of p as the kernel takes at once.
func tryWrite(raw syscall.RawConn, p []byte) (n int, err error) {
	a := attempts.Get().(*attempt)
	defer attempts.Put(a)
	a.p, a.n, a.err = p, 0, nil
	err = raw.Write(a.run)
	a.p = nil
	if err == nil {
		err = a.err
	}
	return a.n, err
}

// write always tells the runtime that it is done, so that nobody waits for the socket.
func (a *attempt) write(fd uintptr) bool {
	for {
		n, err := syscall.Write(int(fd), a.p)
		switch err {
		case nil:
			a.n = n
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
		default:
			a.err = err
		}
		return true
	}
}
