// Package conntest measures what held connections cost the edge.
package conntest

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
)

// Resident is the memory of the process after a collection, in bytes.
func Resident(b *testing.B) int {
	b.Helper()
	debug.FreeOSMemory()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Fatalf("read statm: %v", err)
	}
	var total, pages int
	if _, err := fmt.Sscan(string(statm), &total, &pages); err != nil {
		b.Fatalf("parse statm: %v", err)
	}
	return pages * os.Getpagesize()
}

// Get asks for a target with headers of the size that a browser behind a proxy sends, and further lines of
// headers, each ended by CRLF. It waits for the answer's first byte and gives the descriptor of a bare socket,
// which costs the process nothing else.
func Get(b *testing.B, port int, target, headers string) (fd int) {
	b.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		b.Fatalf("socket: %v", err)
	}
	if err := syscall.Connect(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		b.Fatalf("connect: %v", err)
	}
	Write(b, fd, "GET "+target+" HTTP/1.1\r\nHost: hub\r\nUser-Agent: "+strings.Repeat("x", 300)+
		"\r\nAuthorization: Bearer "+strings.Repeat("x", 900)+"\r\n"+headers+"\r\n")
	if _, err := syscall.Read(fd, make([]byte, 1)); err != nil {
		b.Fatalf("read: %v", err)
	}
	return fd
}

// Write sends bytes to a bare socket.
func Write(b *testing.B, fd int, bytes string) {
	b.Helper()
	if _, err := syscall.Write(fd, []byte(bytes)); err != nil {
		b.Fatalf("write: %v", err)
	}
}
