package redisbus

import (
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/telemetry/tracing"
	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
)

// The fields of hub.event.v1.Frame and its parts, as number and wire type. Frames are written and read
// by hand because every process hears every event: measured with a hundred, the generated code takes
// four times as long to write them, and five times as long and 300 allocations to read them.
const (
	frameEvents    = 1<<3 | uint64(protowire.BytesType)
	framePosition  = 2<<3 | uint64(protowire.BytesType)
	framePart      = 3<<3 | uint64(protowire.VarintType)
	frameWatermark = 4<<3 | uint64(protowire.BytesType)

	eventKind     = 1<<3 | uint64(protowire.VarintType)
	eventUsername = 2<<3 | uint64(protowire.BytesType)
	eventID       = 3<<3 | uint64(protowire.BytesType)
	eventTS       = 4<<3 | uint64(protowire.VarintType)

	positionTransaction = 1<<3 | uint64(protowire.VarintType)
	positionSequence    = 2<<3 | uint64(protowire.VarintType)
)

// payload is an encoded frame with the number of its events. The zero payload, which encodes a frame
// with nothing in it, is the probe.
type payload struct {
	encoded []byte
	events  int
}

// encoder collects the payloads of an exchange; it reuses its buffers.
type encoder struct {
	payloads []payload
	// memory is that of the queued frames which are encoded to their end.
	memory int
	// spans are those of the frames that are encoded to their end.
	spans []tracing.Span

	// joined has the events of frames that are published as one.
	joined []bus.Event

	buf []byte
	// part is a message that goes into another one behind its length.
	part []byte
}

// reset makes room for the next exchange.
func (c *encoder) reset() {
	c.payloads, c.buf, c.memory, c.spans = c.payloads[:0], c.buf[:0], 0, c.spans[:0]
}

// join makes one frame of several of no row. It holds until the next call.
func (c *encoder) join(frames []queued) bus.Frame {
	if len(frames) == 1 {
		return frames[0].frame
	}
	clear(c.joined)
	c.joined = c.joined[:0]
	for i := range frames {
		c.joined = append(c.joined, frames[i].frame.Events...)
	}
	return bus.Frame{Events: c.joined}
}

// add encodes a frame of at most bus.MaxEvents events, without those that the wire cannot carry
// (unknown kinds, invalid UTF-8); it tells how many those were. A frame with a position goes out even
// without them, for whoever waits to hear that the row was announced. Payloads share buf; when it
// grows, earlier ones keep the old one.
func (c *encoder) add(f bus.Frame) (dropped int) {
	start, events := len(c.buf), 0
	for i := range f.Events {
		if c.event(&f.Events[i]) {
			events++
		}
	}
	if events == 0 && f.Position.IsZero() && f.Watermark.IsZero() {
		return len(f.Events)
	}
	c.position(framePosition, f.Position)
	if f.Part != 0 {
		c.buf = number(c.buf, framePart, uint64(f.Part)) //nolint:gosec // never negative
	}
	c.position(frameWatermark, f.Watermark)
	c.payloads = append(c.payloads, payload{encoded: c.buf[start:len(c.buf):len(c.buf)], events: events})
	return len(f.Events) - events
}

// event writes an event of the frame, unless the wire cannot carry it.
func (c *encoder) event(e *bus.Event) bool {
	kind := wireKind(e.Kind)
	if kind == eventv1.EventKind_EVENT_KIND_UNSPECIFIED || !utf8.ValidString(e.User) || !utf8.ValidString(e.ID) {
		return false
	}
	c.part = number(c.part[:0], eventKind, uint64(kind))
	c.part = text(c.part, eventUsername, e.User)
	c.part = text(c.part, eventID, e.ID)
	c.part = number(c.part, eventTS, uint64(e.Time.UnixMilli())) //nolint:gosec // protobuf writes it so
	c.inner(frameEvents)
	return true
}

// position writes p as a field of the frame; a zero position is absent on the wire.
func (c *encoder) position(tag uint64, p bus.Position) {
	if p.IsZero() {
		return
	}
	c.part = number(c.part[:0], positionTransaction, p.Transaction)
	c.part = number(c.part, positionSequence, uint64(p.Sequence)) //nolint:gosec // protobuf writes it so
	c.inner(tag)
}

// inner writes part as a field of the frame.
func (c *encoder) inner(tag uint64) {
	c.buf = protowire.AppendBytes(protowire.AppendVarint(c.buf, tag), c.part)
}

func number(b []byte, tag, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendVarint(b, tag), value)
}

func text(b []byte, tag uint64, value string) []byte {
	return protowire.AppendString(protowire.AppendVarint(b, tag), value)
}

func wireKind(k bus.Kind) eventv1.EventKind {
	switch k {
	case bus.Message:
		return eventv1.EventKind_EVENT_KIND_MESSAGE
	case bus.Read:
		return eventv1.EventKind_EVENT_KIND_READ
	case bus.SessionEnd:
		return eventv1.EventKind_EVENT_KIND_SESSION_END
	case bus.Todo:
		return eventv1.EventKind_EVENT_KIND_TODO
	default:
		return eventv1.EventKind_EVENT_KIND_UNSPECIFIED
	}
}

func busKind(k eventv1.EventKind) bus.Kind {
	switch k {
	case eventv1.EventKind_EVENT_KIND_MESSAGE:
		return bus.Message
	case eventv1.EventKind_EVENT_KIND_READ:
		return bus.Read
	case eventv1.EventKind_EVENT_KIND_SESSION_END:
		return bus.SessionEnd
	case eventv1.EventKind_EVENT_KIND_TODO:
		return bus.Todo
	default:
		return 0
	}
}
