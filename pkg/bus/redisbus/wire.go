package redisbus

import (
	"errors"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"

	"example.com/hub/pkg/bus"
)

// payload is an encoded frame with the number of its events. The zero payload, which encodes a frame
// with nothing in it, is the probe.
type payload struct {
	encoded []byte
	events  int
}

// encoder collects the payloads of an exchange; it reuses its messages and buffers.
type encoder struct {
	payloads []payload
	// memory is that of the queued frames which are encoded to their end.
	memory int

	buf             []byte
	events          [bus.MaxEvents]eventv1.Event
	frame           eventv1.Frame
	position, fence eventv1.Position
}

// reset makes room for the next exchange.
func (c *encoder) reset() { c.payloads, c.buf, c.memory = c.payloads[:0], c.buf[:0], 0 }

// add encodes a frame of at most bus.MaxEvents events, without those that the wire cannot carry
// (unknown kinds, invalid UTF-8); it tells how many those were. A frame with a position goes out even
// without them, for whoever waits to hear that the row was announced. Payloads share buf; when it
// grows, earlier ones keep the old one.
func (c *encoder) add(f bus.Frame) (dropped int) {
	c.frame.Events = c.frame.GetEvents()[:0]
	for i := range f.Events {
		c.event(&f.Events[i])
	}
	n := len(c.frame.GetEvents())
	if n == 0 && f.Position.IsZero() && f.Fence.IsZero() {
		return len(f.Events)
	}
	c.frame.Position = place(&c.position, f.Position)
	c.frame.Part = int32(f.Part) //nolint:gosec // a frame has fewer events than fit into 31 bits
	c.frame.Fence = place(&c.fence, f.Fence)
	start := len(c.buf)
	// With the checks of event, encoding cannot fail.
	buf, err := (proto.MarshalOptions{}).MarshalAppend(c.buf, &c.frame)
	if err != nil {
		return len(f.Events)
	}
	c.buf = buf
	c.payloads = append(c.payloads, payload{encoded: buf[start:len(buf):len(buf)], events: n})
	return len(f.Events) - n
}

func (c *encoder) event(e *bus.Event) {
	kind := kinds[e.Kind]
	if kind == eventv1.EventKind_EVENT_KIND_UNSPECIFIED || !utf8.ValidString(e.User) || !utf8.ValidString(e.ID) {
		return
	}
	m := &c.events[len(c.frame.GetEvents())]
	m.Kind, m.Username, m.Id, m.Ts = kind, e.User, e.ID, e.Time.UnixMilli()
	c.frame.Events = append(c.frame.Events, m)
}

// place writes p into m; a zero position is absent on the wire.
func place(m *eventv1.Position, p bus.Position) *eventv1.Position {
	if p.IsZero() {
		return nil
	}
	m.Transaction, m.Sequence = p.Transaction, p.Sequence
	return m
}

var kinds = map[bus.Kind]eventv1.EventKind{
	bus.Message: eventv1.EventKind_EVENT_KIND_MESSAGE,
	bus.Read:    eventv1.EventKind_EVENT_KIND_READ,
}

// decode reads a frame, whose events it appends to dst, and counts the events of a kind that it does
// not know.
func decode(dst []bus.Event, encoded string) (f bus.Frame, skipped int, err error) {
	var frame eventv1.Frame
	if err := proto.Unmarshal([]byte(encoded), &frame); err != nil {
		return bus.Frame{}, 0, errors.New("not a frame of events")
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
	return bus.Frame{
		Position: position(frame.GetPosition()),
		Part:     int(frame.GetPart()),
		Fence:    position(frame.GetFence()),
		Events:   dst,
	}, skipped, nil
}

func position(m *eventv1.Position) bus.Position {
	return bus.Position{Transaction: m.GetTransaction(), Sequence: m.GetSequence()}
}
