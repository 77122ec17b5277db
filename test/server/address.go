package server

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
)

// given are the addresses that this process has got already.
var given sync.Map

// FreeAddress gives a port of loopback, host:port, that nobody listens on, and never the same one
// twice. It is none that the system gives to connections, one of which might take it before its server
// is up, or while that restarts.
func FreeAddress() (string, error) {
	var last error
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000))
		l, err := net.Listen("tcp", address)
		if err != nil {
			last = err
			continue
		}
		if err := l.Close(); err != nil {
			return "", err
		}
		if _, taken := given.LoadOrStore(address, true); !taken {
			return address, nil
		}
	}
	return "", fmt.Errorf("find a free port: %w", last)
}
