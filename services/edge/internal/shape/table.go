// Package shape says the REST form of Hub's records. A table lists the members of a record once, each
// with the number of the protobuf field that it shows, and writes JSON from the bytes of a message.
// The message is never decoded: that would cost more than all else that is done to it, and some hundred
// allocations a page.
//
// Here are also the contract's two forms of time, and its words for the numbers of enums.
package shape

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// Field is a member of a record in JSON.
type Field struct {
	name   string
	number protowire.Number
	kind   kind
	// words are those of the kind word, by their numbers.
	words []string
	// text is the value of the kind constant, in JSON, and the separator of the kind joined.
	text string
	// numbers are the fields of the kind joined.
	numbers []protowire.Number
	// items is the form of the entries of the kind list.
	items *Table
	// extended says that the member has its value in extended records only. In others it has the value
	// usual, which is given in JSON, or is left out where that is empty.
	extended bool
	usual    string
	// front is what stands in front of the value: a brace or a comma, and the name.
	front string
}

type kind uint8

const (
	asText kind = iota
	asWord
	asInstant
	asLocal
	asName
	asConstant
	asJoined
	asList
	asJSON
	asInteger
	asNumber
	asBool
	asTexts
)

// Text is a string field.
func Text(name string, number protowire.Number) Field {
	return Field{name: name, number: number, kind: asText}
}

// Word is an enum field, shown as its word. A number without a word is "".
func Word[E ~int32](name string, number protowire.Number, words Words[E]) Field {
	return Field{name: name, number: number, kind: asWord, words: words}
}

// Instant is a google.protobuf.Timestamp field, shown as RFC 3339 in UTC with at most six digits of a
// fraction, or null.
func Instant(name string, number protowire.Number) Field {
	return Field{name: name, number: number, kind: asInstant}
}

// LocalTime is a google.protobuf.Timestamp field, shown as yyyy-MM-dd HH:mm:ss in the zone of the
// reader; none is 1970.
func LocalTime(name string, number protowire.Number) Field {
	return Field{name: name, number: number, kind: asLocal}
}

// Name is a string field with the id of who did something, shown as people call that: a client by its id,
// and a user, whose id is user:USERNAME, by her username.
func Name(name string, number protowire.Number) Field {
	return Field{name: name, number: number, kind: asName}
}

// Constant is a member that always has the same value, which is given in JSON.
func Constant(name, value string) Field {
	return Field{name: name, kind: asConstant, text: value}
}

// Joined is a member computed from several string fields, with a separator between them.
func Joined(name, separator string, numbers ...protowire.Number) Field {
	return Field{name: name, kind: asJoined, text: separator, numbers: numbers}
}

// List is a repeated message field, shown as an array of objects.
func List(name string, number protowire.Number, items *Table) Field {
	return Field{name: name, number: number, kind: asList, items: items}
}

// JSON is a string field that is JSON already, shown as it is; an empty one is null.
func JSON(name string, number protowire.Number) Field {
	return Field{name: name, number: number, kind: asJSON}
}

// Integer is an optional int64 field, shown as a number or null.
func Integer(name string, number protowire.Number) Field {
	return Field{name: name, number: number, kind: asInteger}
}

// Number is an int64 field, shown as a number.
func Number(name string, number protowire.Number) Field {
	return Field{name: name, number: number, kind: asNumber}
}

// Bool is a bool field.
func Bool(name string, number protowire.Number) Field {
	return Field{name: name, number: number, kind: asBool}
}

// Texts is a repeated string field, shown as an array.
func Texts(name string, number protowire.Number) Field {
	return Field{name: name, number: number, kind: asTexts}
}

// Extended is a member that is not the first, and that only extended records have; others have the usual
// value, which is given in JSON, or no such member where it is empty.
func Extended(f Field, usual string) Field {
	f.extended, f.usual = true, usual
	return f
}

// Audit are the audit fields of a record (contract, Common conventions), by the numbers of what they
// show. A reader never gets a record that was deleted.
func Audit(createTime, modifyTime, creatorID, modifierID protowire.Number) []Field {
	return []Field{
		LocalTime("createTime", createTime),
		LocalTime("modifyTime", modifyTime),
		Name("creator", creatorID),
		Text("creatorId", creatorID),
		Name("modifier", modifierID),
		Text("modifierId", modifierID),
		Constant("delete", "false"),
	}
}

// Table is the form of a record: its members in the order in which they are written.
type Table struct {
	fields []Field
	// most is the largest number of a field that is shown.
	most protowire.Number
}

// New makes a table of at least one field. A field number above 31 panics.
func New(fields ...Field) *Table {
	t := &Table{fields: fields}
	for i := range fields {
		f := &fields[i]
		f.front = `,"` + f.name + `":`
		if i == 0 {
			f.front = `{"` + f.name + `":`
		}
		t.most = max(t.most, f.number)
		for _, number := range f.numbers {
			t.most = max(t.most, number)
		}
	}
	if t.most > maxNumber {
		panic("shape: a field number is too large")
	}
	return t
}

// Names are the names of the members, in order.
func (t *Table) Names() []string {
	names := make([]string, len(t.fields))
	for i, f := range t.fields {
		names[i] = f.name
	}
	return names
}
