package shape

import (
	"strconv"
	"time"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"

	"example.com/hub/pkg/jsontext"
)

// maxNumber is the largest field number that a table can show.
const maxNumber = 31

// record is a message as it came: its fields by their numbers. Of a repeated field it has the last one.
type record struct {
	texts  [maxNumber + 1][]byte
	values [maxNumber + 1]uint64
	// came has a bit for each field that is there.
	came uint32
}

// read takes the fields up to a number.
func (r *record) read(raw []byte, most protowire.Number) error {
	clear(r.texts[:most+1])
	clear(r.values[:most+1])
	r.came = 0
	for len(raw) > 0 {
		number, text, value, n := consume(raw)
		if n < 0 {
			return protowire.ParseError(n)
		}
		raw = raw[n:]
		if number <= most {
			r.texts[number], r.values[number] = text, value
			r.came |= 1 << number
		}
	}
	return nil
}

// text shares the memory of the message, which nobody changes.
func (r *record) text(number protowire.Number) string {
	text := r.texts[number]
	return unsafe.String(unsafe.SliceData(text), len(text))
}

// appendInstant writes an optional google.protobuf.Timestamp.
func (r *record) appendInstant(b []byte, number protowire.Number) ([]byte, error) {
	if r.texts[number] == nil {
		return append(b, "null"...), nil
	}
	t, err := r.time(number)
	return appendInstant(b, t), err
}

func (r *record) appendLocal(b []byte, number protowire.Number, zone *time.Location) ([]byte, error) {
	t, err := r.time(number)
	return appendLocal(b, t.In(zone)), err
}

// appendInteger writes an optional int64.
func (r *record) appendInteger(b []byte, number protowire.Number) []byte {
	if r.came&(1<<number) == 0 {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(r.values[number]), 10)
}

func (r *record) appendJoined(b []byte, f *Field) []byte {
	b = append(b, '"')
	for i, number := range f.numbers {
		if i > 0 {
			b = jsontext.AppendEscaped(b, f.text)
		}
		b = jsontext.AppendEscaped(b, r.text(number))
	}
	return append(b, '"')
}

// time reads a google.protobuf.Timestamp.
func (r *record) time(number protowire.Number) (time.Time, error) {
	var seconds, nanos int64
	for raw := r.texts[number]; len(raw) > 0; {
		number, _, value, n := consume(raw)
		if n < 0 {
			return time.Time{}, protowire.ParseError(n)
		}
		raw = raw[n:]
		switch number {
		case 1:
			seconds = int64(value)
		case 2:
			nanos = int64(value)
		}
	}
	return time.Unix(seconds, nanos).UTC(), nil
}

// Fields calls see for each field of a message in protobuf, with the bytes of a string or a message, or
// with the number. An error of see ends it.
func Fields(raw []byte, see func(number protowire.Number, text []byte, value uint64) error) error {
	for len(raw) > 0 {
		number, text, value, n := consume(raw)
		if n < 0 {
			return protowire.ParseError(n)
		}
		raw = raw[n:]
		if err := see(number, text, value); err != nil {
			return err
		}
	}
	return nil
}

// consume reads a field and gives its length, which is negative where there is none.
func consume(raw []byte) (number protowire.Number, text []byte, value uint64, n int) {
	number, kind, tag := protowire.ConsumeTag(raw)
	if tag < 0 {
		return 0, nil, 0, tag
	}
	raw = raw[tag:]
	switch kind {
	case protowire.BytesType:
		text, n = protowire.ConsumeBytes(raw)
	case protowire.VarintType:
		value, n = protowire.ConsumeVarint(raw)
	default:
		n = protowire.ConsumeFieldValue(number, kind, raw)
	}
	if n < 0 {
		return 0, nil, 0, n
	}
	return number, text, value, tag + n
}
