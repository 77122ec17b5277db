package redisbus

import (
	"errors"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"

	"example.com/hub/pkg/bus"
)

// probe is the encoding of a frame without events.
var probe = []byte{}

// encoder reuses its messages and buffers from one call to the next.
type encoder struct {
	events [frameEvents]eventv1.Event
	frame  eventv1.Frame
	buf    []byte
	out    [][]byte
	counts []int
}

// frames encodes events in order, up to frameEvents in each frame, and tells how many each frame
// holds. Events that the wire cannot carry (unknown kinds, invalid UTF-8) are left out. The result
// is valid until the next call.
func (c *encoder) frames(events []bus.Event) (frames [][]byte, counts []int) {
	c.buf, c.out, c.counts = c.buf[:0], c.out[:0], c.counts[:0]
	c.frame.Events = c.frame.GetEvents()[:0]
	for i := range events {
		c.add(&events[i])
		if len(c.frame.GetEvents()) == frameEvents {
			c.cut()
		}
	}
	if len(c.frame.GetEvents()) > 0 {
		c.cut()
	}
	return c.out, c.counts
}

func (c *encoder) add(e *bus.Event) {
	kind := kinds[e.Kind]
	if kind == eventv1.EventKind_EVENT_KIND_UNSPECIFIED || !utf8.ValidString(e.User) || !utf8.ValidString(e.ID) {
		return
	}
	m := &c.events[len(c.frame.GetEvents())]
	m.Kind, m.Username, m.Id, m.Ts = kind, e.User, e.ID, e.Time.UnixMilli()
	c.frame.Events = append(c.frame.Events, m)
}

// cut ends the current frame. Frames share buf; when it grows, earlier frames keep the old one.
func (c *encoder) cut() {
	start := len(c.buf)
	// With the checks of add, encoding cannot fail.
	if buf, err := (proto.MarshalOptions{}).MarshalAppend(c.buf, &c.frame); err == nil {
		c.buf = buf
		c.out = append(c.out, buf[start:len(buf):len(buf)])
		c.counts = append(c.counts, len(c.frame.GetEvents()))
	}
	c.frame.Events = c.frame.Events[:0]
}

var kinds = map[bus.Kind]eventv1.EventKind{
	bus.Message: eventv1.EventKind_EVENT_KIND_MESSAGE,
	bus.Read:    eventv1.EventKind_EVENT_KIND_READ,
}

// decode appends the events of a frame to dst and counts those of a kind that it does not know.
func decode(dst []bus.Event, payload string) (events []bus.Event, skipped int, err error) {
	var frame eventv1.Frame
	if err := proto.Unmarshal([]byte(payload), &frame); err != nil {
		return dst, 0, errors.New("not a frame of events")
	}
	for _, m := range frame.GetEvents() {
		e := bus.Event{User: m.GetUsername(), ID: m.GetId(), Time: time.UnixMilli(m.GetTs())}
		switch m.GetKind() {
		case eventv1.EventKind_EVENT_KIND_MESSAGE:
			e.Kind = bus.Message
		case eventv1.EventKind_EVENT_KIND_READ:
			e.Kind = bus.Read
		default:
			skipped++
			continue
		}
		dst = append(dst, e)
	}
	return dst, skipped, nil
}
