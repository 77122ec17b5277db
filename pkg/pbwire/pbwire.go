// Package pbwire appends fields in protobuf. A hub writes the records of a page with it: to make a message of
// each first, which the codec would measure and then encode, takes several times as long.
//
// As the codec does, it leaves out what has its zero value.
package pbwire

import (
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// maxAhead bounds what the first record of a page makes room for, in bytes: it may be the only long one.
const maxAhead = 64 << 10

// SetRecords sets a repeated message field, for the codec alone: getters do not see it. The records are
// those of an answer that goes into a connection, or through grpcserver.Local.
func SetRecords[R any](m proto.Message, number protowire.Number, records []R, appendRecord func([]byte, *R) []byte) {
	if len(records) == 0 {
		return
	}
	b := make([]byte, 0, 1<<10)
	for i := range records {
		b = Message(b, number, func(b []byte) []byte { return appendRecord(b, &records[i]) })
		if i == 0 {
			// The others are about as long, mostly.
			b = slices.Grow(b, min((len(records)-1)*(len(b)+len(b)/4), maxAhead))
		}
	}
	m.ProtoReflect().SetUnknown(b)
}

// Message appends a message.
func Message(b []byte, number protowire.Number, appendFields func([]byte) []byte) []byte {
	b = append(protowire.AppendTag(b, number, protowire.BytesType), 0, 0)
	start := len(b)
	b = appendFields(b)
	// The length of most takes two bytes.
	var length [10]byte
	return slices.Replace(b, start-2, start, protowire.AppendVarint(length[:0], uint64(len(b)-start))...)
}

// String appends a string.
func String(b []byte, number protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), s)
}

// Int appends an int32, an int64 or an enum.
func Int(b []byte, number protowire.Number, n int64) []byte {
	if n == 0 {
		return b
	}
	return OptionalInt(b, number, &n)
}

// OptionalInt appends an optional int64, where nil is none.
func OptionalInt(b []byte, number protowire.Number, n *int64) []byte {
	if n == nil {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), uint64(*n)) //nolint:gosec // as it is encoded
}

// Time appends a google.protobuf.Timestamp.
func Time(b []byte, number protowire.Number, t time.Time) []byte {
	b = append(protowire.AppendTag(b, number, protowire.BytesType), 0)
	start := len(b)
	b = Int(b, 1, t.Unix())
	b = Int(b, 2, int64(t.Nanosecond()))
	b[start-1] = byte(len(b) - start) // at most 17
	return b
}

// OptionalTime is Time for a time that may be absent, as nil.
func OptionalTime(b []byte, number protowire.Number, t *time.Time) []byte {
	if t == nil {
		return b
	}
	return Time(b, number, *t)
}
