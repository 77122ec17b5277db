package redisbus

import (
	"errors"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"example.com/hub/pkg/bus"
	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
)

// decode reads a frame, whose events it appends to dst, and counts the events of a kind that it does
// not know. The texts of the events are parts of encoded.
func decode(dst []bus.Event, encoded string) (f bus.Frame, skipped int, err error) {
	m := message{rest: encoded}
	for m.more() {
		switch tag := m.varint(); tag {
		case frameEvents:
			if e := m.event(); e.Kind != 0 {
				dst = append(dst, e)
			} else {
				skipped++
			}
		case framePosition:
			m.position(&f.Position)
		case framePart:
			f.Part = int(int32(m.varint())) //nolint:gosec // as protobuf cuts it
		case frameWatermark:
			m.position(&f.Watermark)
		default:
			m.skip(tag)
		}
	}
	if m.bad {
		return bus.Frame{}, 0, errors.New("not a frame of events")
	}
	f.Events = dst
	return f, skipped, nil
}

// message is what is left to read of a protobuf message. Once it is bad, there is no more.
type message struct {
	rest string
	bad  bool
}

func (m *message) more() bool { return m.rest != "" && !m.bad }

// event reads an event, whose kind is zero when this version does not know it.
func (m *message) event() (e bus.Event) {
	in := message{rest: m.bytes()}
	var milliseconds int64
	for in.more() {
		switch tag := in.varint(); tag {
		case eventKind:
			e.Kind = busKind(eventv1.EventKind(in.varint())) //nolint:gosec // as protobuf cuts it
		case eventUsername:
			e.User = in.text()
		case eventID:
			e.ID = in.text()
		case eventTS:
			milliseconds = int64(in.varint()) //nolint:gosec // protobuf writes it so
		default:
			in.skip(tag)
		}
	}
	m.bad = m.bad || in.bad
	e.Time = time.UnixMilli(milliseconds)
	return e
}

func (m *message) position(p *bus.Position) {
	in := message{rest: m.bytes()}
	for in.more() {
		switch tag := in.varint(); tag {
		case positionTransaction:
			p.Transaction = in.varint()
		case positionSequence:
			p.Sequence = int64(in.varint()) //nolint:gosec // protobuf writes it so
		default:
			in.skip(tag)
		}
	}
	m.bad = m.bad || in.bad
}

// varint reads a number of at most 64 bits, seven of them in a byte.
func (m *message) varint() (v uint64) {
	for i := range min(len(m.rest), 10) {
		b := m.rest[i]
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			m.rest = m.rest[i+1:]
			m.bad = m.bad || i == 9 && b > 1
			return v
		}
	}
	m.bad = true
	return 0
}

// bytes reads what stands behind its length.
func (m *message) bytes() string {
	n := m.varint()
	if n > uint64(len(m.rest)) {
		m.bad = true
		return ""
	}
	value := m.rest[:n]
	m.rest = m.rest[n:]
	return value
}

func (m *message) text() string {
	value := m.bytes()
	m.bad = m.bad || !utf8.ValidString(value)
	return value
}

// skip passes over a field that this version does not know.
func (m *message) skip(tag uint64) {
	number, wireType := protowire.DecodeTag(tag)
	length := protowire.ConsumeFieldValue(number, wireType, []byte(m.rest))
	if !number.IsValid() || length < 0 {
		m.bad = true
		return
	}
	m.rest = m.rest[length:]
}
