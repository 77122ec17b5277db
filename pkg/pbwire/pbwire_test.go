package pbwire_test

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/hub/pkg/pbwire"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// record has a field of each kind, with numbers of one byte and of two.
type record struct {
	id, payload string
	kind        int32
	due         *time.Time
	modified    time.Time
	version     *int64
}

func appendRecord(b []byte, r *record) []byte {
	b = pbwire.String(b, 1, r.id)
	b = pbwire.Int(b, 2, int64(r.kind))
	b = pbwire.OptionalTime(b, 12, r.due)
	b = pbwire.Time(b, 19, r.modified)
	b = pbwire.String(b, 22, r.payload)
	return pbwire.OptionalInt(b, 24, r.version)
}

func (r *record) message() *todov1.Todo {
	m := &todov1.Todo{Id: r.id, Type: todov1.TodoType(r.kind), Payload: r.payload, SourceVersion: r.version}
	m.ModifyTime = timestamppb.New(r.modified)
	if r.due != nil {
		m.DueAt = timestamppb.New(*r.due)
	}
	return m
}

// FuzzRecords holds what is appended to what the codec makes of the same records.
func FuzzRecords(f *testing.F) {
	for _, n := range []int{0, 1, 100, 127, 128, 16_300, 16_383, 16_384} {
		f.Add("", strings.Repeat("x", n), int32(n%3), int64(n), int64(n)*999_999_999, 1+n%4)
	}
	f.Add("é", "", int32(-1), int64(math.MinInt64), int64(-62135596800), 1)
	f.Add("\x00", "{}", int32(math.MaxInt32), int64(math.MaxInt64), int64(-1), 21)
	f.Fuzz(func(t *testing.T, id, payload string, kind int32, version, at int64, count int) {
		r := record{id: strings.ToValidUTF8(id, ""), payload: strings.ToValidUTF8(payload, ""), kind: kind, modified: time.Unix(at, at%1e9)}
		if version%2 == 0 {
			r.version, r.due = &version, &r.modified
		}
		records := make([]record, max(0, count%32))
		want, got := &todov1.ListTodosResponse{}, &todov1.ListTodosResponse{}
		for i := range records {
			// The first is shorter than the others.
			if i > 0 {
				records[i] = r
			}
			want.Todos = append(want.Todos, records[i].message())
		}
		pbwire.SetRecords(got, 1, records, appendRecord)
		if !bytes.Equal(encoded(t, got), encoded(t, want)) {
			t.Errorf("%d of %+v are not those of the codec", len(records), r)
		}
	})
}

// TestFirstRecordIsNoMeasure has one long record in front of short ones.
func TestFirstRecordIsNoMeasure(t *testing.T) {
	const long = 64 << 10
	records := make([]record, 20)
	records[0].payload = strings.Repeat("x", long)
	m := &todov1.ListTodosResponse{}
	pbwire.SetRecords(m, 1, records, appendRecord)
	if n := cap(m.ProtoReflect().GetUnknown()); n > 3*long {
		t.Errorf("%d bytes are taken for a page of %d", n, proto.Size(m))
	}
}

func encoded(t *testing.T, m proto.Message) []byte {
	t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
