package chaos

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// echo is a proxy in front of a server that sends every line back.
func echo(t *testing.T) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn) }()
		}
	}()
	p, err := newProxy(t.Context(), "tcp", l.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.stop)
	return p
}

// client is a connection through a proxy.
type client struct {
	net.Conn
	lines *bufio.Reader
}

func dial(t *testing.T, p *proxy) client {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(context.WithoutCancel(t.Context()), "tcp", p.address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return client{conn, bufio.NewReader(conn)}
}

// says sends a line and tells whether it comes back soon.
func (c client) says(t *testing.T, text string) bool {
	t.Helper()
	if _, err := io.WriteString(c, text+"\n"); err != nil {
		t.Fatal(err)
	}
	return c.hears(text, 200*time.Millisecond)
}

func (c client) hears(text string, within time.Duration) bool {
	_ = c.SetReadDeadline(time.Now().Add(within))
	line, err := c.lines.ReadString('\n')
	return err == nil && line == text+"\n"
}

func TestProxyStalls(t *testing.T) {
	t.Parallel()
	p := echo(t)
	old := dial(t, p)
	if !old.says(t, "one") {
		t.Fatal("nothing is forwarded")
	}
	p.stall()
	if fresh := dial(t, p); old.says(t, "two") || fresh.says(t, "three") {
		t.Error("forwarded in a stall")
	}
	p.heal()
	if !old.hears("two", 5*time.Second) || !old.says(t, "four") {
		t.Error("not forwarded after the stall")
	}
}

func TestProxyAbandons(t *testing.T) {
	t.Parallel()
	p := echo(t)
	old := dial(t, p)
	if !old.says(t, "one") {
		t.Fatal("nothing is forwarded")
	}
	p.abandon()
	if old.says(t, "two") {
		t.Error("an abandoned connection works")
	}
	if !dial(t, p).says(t, "three") {
		t.Error("a new connection does not work")
	}
}

func TestProxyCutsWhatItKeepsBack(t *testing.T) {
	t.Parallel()
	p := echo(t)
	old := dial(t, p)
	if !old.says(t, "one") {
		t.Fatal("nothing is forwarded")
	}
	p.stall()
	old.says(t, "two")
	p.cut()
	p.heal()
	if old.hears("two", time.Second) {
		t.Error("forwarded after the cut")
	}
}

func TestLosing(t *testing.T) {
	t.Parallel()
	const (
		simple  = "+OK\r\n"
		nested  = "*2\r\n$-1\r\n*1\r\n:1\r\n"
		claim   = "*3\r\n$7\r\nmessage\r\n$10\r\nhub:claims\r\n$4\r\n1\r\n2\r\n"
		another = "*3\r\n$7\r\nmessage\r\n$10\r\nhub:events\r\n$1\r\n1\r\n"
	)
	var got strings.Builder
	err := losing(func(channel string) bool { return channel == "hub:claims" })(&got, strings.NewReader(simple+claim+nested+another+claim))
	if want := simple + nested + another; !errors.Is(err, io.EOF) || got.String() != want {
		t.Errorf("got %q, %v, want %q", got.String(), err, want)
	}
}
