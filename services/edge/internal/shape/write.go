package shape

import (
	"cmp"
	"strconv"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/jsontext"
)

// Writer writes records. It is used by one goroutine.
type Writer struct {
	// Zone is that of local times.
	Zone *time.Location
	// Extended says that records are extended.
	Extended bool
	// Users says that there are users, and that the ids that begin like theirs are theirs.
	Users bool

	record record
	// inner writes the entries of lists.
	inner *Writer
}

// Append writes a record, given in protobuf. A field of a later version is left out. Bytes that are no
// message are an error.
func (w *Writer) Append(b []byte, t *Table, raw []byte) ([]byte, error) {
	r := &w.record
	if err := r.read(raw, t.most); err != nil {
		return nil, err
	}
	var err error
	for i := range t.fields {
		f := &t.fields[i]
		if f.extended && !w.Extended {
			if f.usual != "" {
				b = append(append(b, f.front...), f.usual...)
			}
			continue
		}
		b = append(b, f.front...)
		switch f.kind {
		case asText:
			b = jsontext.AppendString(b, r.text(f.number))
		case asWord:
			b = jsontext.AppendString(b, Words[int32](f.words).word(int32(r.values[f.number])))
		case asInstant:
			b, err = r.appendInstant(b, f.number)
		case asLocal:
			b, err = r.appendLocal(b, f.number, w.Zone)
		case asName:
			b = jsontext.AppendString(b, w.name(r.text(f.number)))
		case asConstant:
			b = append(b, f.text...)
		case asJoined:
			b = r.appendJoined(b, f)
		case asList:
			b, err = w.appendList(b, f, raw)
		case asJSON:
			b = append(b, cmp.Or(r.text(f.number), "null")...)
		case asInteger:
			b = r.appendInteger(b, f.number)
		case asNumber:
			b = strconv.AppendInt(b, int64(r.values[f.number]), 10)
		case asBool:
			b = strconv.AppendBool(b, r.values[f.number] != 0)
		case asTexts:
			b, err = appendTexts(b, f.number, raw)
		}
		if err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// name is what people call who has an id.
func (w *Writer) name(id string) string {
	if !w.Users {
		return id
	}
	return auth.Called(id)
}

// appendTexts writes all entries of a repeated string field; the record has only the last one.
func appendTexts(b []byte, wanted protowire.Number, raw []byte) ([]byte, error) {
	b = append(b, '[')
	first := true
	err := Fields(raw, func(number protowire.Number, text []byte, _ uint64) error {
		if number != wanted {
			return nil
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = jsontext.AppendString(b, string(text))
		return nil
	})
	return append(b, ']'), err
}

// appendList writes all entries; the record has only the last one.
func (w *Writer) appendList(b []byte, f *Field, raw []byte) ([]byte, error) {
	b = append(b, '[')
	if w.record.texts[f.number] == nil {
		return append(b, ']'), nil
	}
	if w.inner == nil {
		w.inner = &Writer{Zone: w.Zone, Users: w.Users}
	}
	first := true
	for len(raw) > 0 {
		number, text, _, n := consume(raw)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		raw = raw[n:]
		if number != f.number {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		var err error
		if b, err = w.inner.Append(b, f.items, text); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}
