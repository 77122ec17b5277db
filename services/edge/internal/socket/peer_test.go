package socket_test

import (
	"encoding/json"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
)

// peer is a client over a pipe, which reads all it gets and answers pings.
type peer struct {
	net.Conn
	mute chan struct{} // closed: it answers nothing any more

	mu     sync.Mutex
	got    []heard
	code   websocket.StatusCode // of the close
	reason string
	pings  int
	over   bool
	after  time.Duration // when it was over
}

// heard is a message, with when it came since the test began.
type heard struct {
	At     time.Duration `json:"-"`
	Type   string        `json:"type"`
	ID     *string       `json:"id"`
	Unread int64         `json:"unread"`
	TS     int64         `json:"ts"`
}

func follow(conn net.Conn) *peer {
	c := &peer{Conn: conn, mute: make(chan struct{})}
	go c.listen(time.Now())
	return c
}

// listen is as much of the protocol as a test client needs (RFC 6455, section 5.2).
func (p *peer) listen(start time.Time) {
	for {
		opcode, payload, err := readFrame(p.Conn)
		p.mu.Lock()
		switch {
		case err != nil:
			p.over, p.after = true, time.Since(start)
		case opcode == 1:
			h := heard{At: time.Since(start)}
			if err := json.Unmarshal(payload, &h); err != nil {
				panic(err)
			}
			p.got = append(p.got, h)
		case opcode == 8:
			p.code, p.reason = websocket.StatusCode(int(payload[0])<<8|int(payload[1])), string(payload[2:])
		case opcode == 9:
			p.pings++
		}
		p.mu.Unlock()
		select {
		case <-p.mute:
		default:
			switch opcode {
			case 8:
				p.send(8, payload[:2])
			case 9:
				p.send(10, payload)
			}
		}
		if err != nil {
			return
		}
	}
}

func readFrame(r io.Reader) (opcode byte, payload []byte, err error) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(r, head); err != nil {
		return 0, nil, err
	}
	n := int(head[1])
	if n == 126 {
		if _, err := io.ReadFull(r, head); err != nil {
			return 0, nil, err
		}
		n = int(head[0])<<8 | int(head[1])
	}
	payload = make([]byte, n)
	_, err = io.ReadFull(r, payload)
	return head[0] & 0xf, payload, err
}

// send sends a short frame, masked with zeros.
func (p *peer) send(opcode byte, payload []byte) {
	frame := append([]byte{0x80 | opcode, 0x80 | byte(len(payload)), 0, 0, 0, 0}, payload...)
	_, _ = p.Write(frame)
}

// wants demands that exactly these came since the last time, each with its type and id.
func (p *peer) wants(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, h := range p.take() {
		id := "null"
		if h.ID != nil {
			id = *h.ID
		}
		got = append(got, h.Type+" "+id)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// take gives what came since the last time, once nothing moves any more.
func (p *peer) take() (got []heard) {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	got, p.got = p.got, nil
	return got
}

// wantUnread demands that exactly these counts came since the last time.
func (p *peer) wantUnread(t *testing.T, want ...int64) {
	t.Helper()
	var got []int64
	for _, h := range p.take() {
		if h.Type != "inbox.unread.changed" {
			t.Errorf("%+v came", h)
		}
		got = append(got, h.Unread)
	}
	if !slices.Equal(got, want) {
		t.Errorf("counts %v, want %v", got, want)
	}
}

// wantClose demands the end of the socket with a code; 0 is none.
func (p *peer) wantClose(t *testing.T, code websocket.StatusCode) {
	t.Helper()
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over || p.code != code {
		t.Errorf("over: %v, code %d %q, want %d", p.over, p.code, p.reason, code)
	}
}

// pinged gives the number of pings.
func (p *peer) pinged() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pings
}

func (p *peer) wantOpen(t *testing.T) {
	t.Helper()
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || p.code != 0 {
		t.Errorf("the socket is over, code %d %q", p.code, p.reason)
	}
}
