package rest_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"
	"pgregory.net/rapid"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/rest/message"
	"example.com/hub/services/edge/internal/rest/todo"
)

// texts are strings of any bytes, with all that needs an escape.
func texts() *rapid.Generator[string] {
	special := rapid.SampledFrom([]string{
		"", "\x00", "\x1f", "\b\f\n\r\t", `"`, `\`, "/", "<", ">", "&", "\x7f", "\u0080", "\u2027", "\u2028", "\u2029", "\u202a",
		"\ufffd", "\xff", "\xc0\xaf", "\xed\xa0\x80", "\xe2\x80", "🦉", "\xf0\x9f\xa6", "名",
	})
	raw := rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes")) })
	return rapid.Custom(func(t *rapid.T) string {
		text := ""
		for _, part := range rapid.SliceOfN(rapid.OneOf(special, rapid.String(), raw), 0, 6).Draw(t, "parts") {
			text += part
		}
		return text
	})
}

// timestamps are those of the years 1 to 9999, and none.
func timestamps() *rapid.Generator[*timestamppb.Timestamp] {
	return rapid.Custom(func(t *rapid.T) *timestamppb.Timestamp {
		if rapid.Bool().Draw(t, "none") {
			return nil
		}
		return &timestamppb.Timestamp{
			Seconds: rapid.Int64Range(-62135596800, 253402300799).Draw(t, "seconds"),
			Nanos:   rapid.OneOf(rapid.Int32Range(0, 999999999), rapid.Just[int32](0), rapid.Just[int32](120000999)).Draw(t, "nanos"),
		}
	})
}

// fill sets every string and timestamp of a record.
func fill(t *rapid.T, record any) {
	v := reflect.ValueOf(record).Elem()
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		switch f := v.Field(i); f.Interface().(type) {
		case string:
			f.SetString(texts().Draw(t, v.Type().Field(i).Name))
		case *timestamppb.Timestamp:
			f.Set(reflect.ValueOf(timestamps().Draw(t, v.Type().Field(i).Name)))
		}
	}
}

func zones() *rapid.Generator[*time.Location] {
	return rapid.SampledFrom([]*time.Location{time.UTC, time.FixedZone("", 14*3600), time.FixedZone("", -12*3600+17)})
}

// later adds fields that a later version may have.
func later(t *rapid.T, m protoreflect.Message) {
	raw := protowire.AppendTag(nil, protowire.Number(rapid.IntRange(22, 5000).Draw(t, "number")), protowire.BytesType)
	raw = protowire.AppendString(raw, "later")
	raw = protowire.AppendTag(raw, 30, protowire.Fixed64Type)
	m.SetUnknown(protowire.AppendFixed64(raw, 1))
}

func sizes() *rapid.Generator[int64] { return rapid.Int64Range(1, 1<<40) }

// makeValid leaves texts that a hub can send: protobuf takes no others.
func makeValid(record proto.Message) {
	record.ProtoReflect().Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if f.Kind() == protoreflect.StringKind && !f.IsList() {
			record.ProtoReflect().Set(f, protoreflect.ValueOfString(string(bytes.ToValidUTF8([]byte(v.String()), []byte("?")))))
		}
		return true
	})
}

func todos() *rapid.Generator[*todov1.Todo] {
	return rapid.Custom(func(t *rapid.T) *todov1.Todo {
		record := &todov1.Todo{
			Type:   todov1.TodoType(rapid.Int32Range(-1, 4).Draw(t, "type")),
			Status: todov1.TodoStatus(rapid.Int32Range(-1, 5).Draw(t, "status")),
		}
		fill(t, record)
		makeValid(record)
		later(t, record.ProtoReflect())
		return record
	})
}

func messages() *rapid.Generator[*messagev1.InboxMessage] {
	return rapid.Custom(func(t *rapid.T) *messagev1.InboxMessage {
		record := &messagev1.InboxMessage{Status: messagev1.MessageStatus(rapid.Int32Range(-1, 4).Draw(t, "status"))}
		fill(t, record)
		for range rapid.IntRange(0, 3).Draw(t, "actions") {
			action := &messagev1.MessageAction{}
			fill(t, action)
			makeValid(action)
			later(t, action.ProtoReflect())
			record.Actions = append(record.Actions, action)
		}
		makeValid(record)
		later(t, record.ProtoReflect())
		return record
	})
}

// wantAnswer demands that an answer of a hub becomes what encoding/json makes of plain structs: when it
// came in bytes, cut anywhere by frames, and when it is a message of a hub in this process.
func wantAnswer[M proto.Message](t *rapid.T, sent M, write func(*time.Location) func(proto.Message) ([]byte, error), zone *time.Location, plain any) {
	want, err := json.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := proto.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	cut := rapid.IntRange(0, len(raw)).Draw(t, "cut")
	came := sent.ProtoReflect().New().Interface()
	if err := rest.Receive(mem.BufferSlice{mem.SliceBuffer(raw[:cut]), mem.SliceBuffer(raw[cut:])}, came); err != nil {
		t.Fatal(err)
	}
	came.ProtoReflect().Range(func(f protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		t.Fatalf("%s was decoded", f.Name())
		return false
	})
	for name, message := range map[string]proto.Message{"as it came": came, "of this process": sent} {
		got, err := write(zone)(message)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want)+"\n" {
			t.Fatalf("%s\ngot  %s\nwant %s", name, got, want)
		}
	}
}

// writing makes the writers of a test; rapid's own T is none for them.
func writing(t *testing.T, write rest.Writer) func(*time.Location) func(proto.Message) ([]byte, error) {
	return func(zone *time.Location) func(proto.Message) ([]byte, error) { return rest.Answering(t, write, zone) }
}

func TestTodosAreWhatEncodingJSONWrites(t *testing.T) {
	page, single := writing(t, rest.List(todo.Item)), writing(t, rest.Item(todo.Item))
	rapid.Check(t, func(t *rapid.T) {
		zone := zones().Draw(t, "zone")
		sent := &todov1.ListTodosResponse{
			Todos: rapid.SliceOfN(todos(), 0, 3).Draw(t, "rows"), Size: sizes().Draw(t, "size"),
			Page: rapid.Int64Min(0).Draw(t, "page"), TotalCount: rapid.Int64Min(0).Draw(t, "total"),
		}
		wantAnswer(t, sent, page, zone, plainPage(sent, sent.GetTodos(), plainTodoOf, zone))
		for _, row := range sent.GetTodos() {
			wantAnswer(t, &todov1.ClearTodoResponse{Todo: row}, single, zone, plainEnvelope{"0", "ok", plainTodoOf(row, zone)})
		}
	})
}

func TestMessagesAreWhatEncodingJSONWrites(t *testing.T) {
	page := writing(t, rest.List(message.InboxMessage))
	rapid.Check(t, func(t *rapid.T) {
		zone := zones().Draw(t, "zone")
		sent := &messagev1.ListInboxResponse{
			Messages: rapid.SliceOfN(messages(), 0, 3).Draw(t, "rows"), Size: sizes().Draw(t, "size"),
			Page: rapid.Int64Min(0).Draw(t, "page"), TotalCount: rapid.Int64Min(0).Draw(t, "total"),
		}
		wantAnswer(t, sent, page, zone, plainPage(sent, sent.GetMessages(), plainMessageOf, zone))
	})
}

// A hub never sends such bytes, and the edge must not fall over them.
func TestBrokenAnswersAreErrors(t *testing.T) {
	write := rest.Answering(t, rest.List(message.InboxMessage), time.UTC)
	answer := func(raw []byte) ([]byte, error) {
		came := &messagev1.ListInboxResponse{}
		came.ProtoReflect().SetUnknown(raw)
		return write(came)
	}
	rapid.Check(t, func(t *rapid.T) {
		b, err := answer(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if err == nil && !json.Valid(b) {
			t.Fatalf("neither an error nor an answer: %s", b)
		}
	})
	row, err := proto.Marshal(&messagev1.ListInboxResponse{Messages: messagePage(1).GetMessages()})
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut < len(row); cut++ {
		if _, err := answer(row[:cut]); err == nil {
			t.Errorf("an answer that ends after %d of %d bytes was taken", cut, len(row))
		}
	}
	// A row whose own bytes end too early.
	short := protowire.AppendTag(nil, 1, protowire.BytesType)
	short = protowire.AppendBytes(short, row[len(row)-1:])
	if _, err := answer(short); err == nil {
		t.Error("a row that ends too early was taken")
	}
	for name, write := range map[string]rest.Writer{"item": rest.Item(todo.Item), "number": rest.Number, "nothing": rest.Nothing("Hub-Created")} {
		came := &messagev1.CountUnreadResponse{}
		came.ProtoReflect().SetUnknown(row[:len(row)-1])
		if _, err := rest.Answering(t, write, time.UTC)(came); err == nil {
			t.Errorf("%s: an answer that ends too early was taken", name)
		}
	}
}

func TestFailureIsWhatEncodingJSONWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msg := texts().Draw(t, "msg")
		want, err := json.Marshal(struct {
			Code string `json:"code"`
			Msg  string `json:"msg"`
			Data *int   `json:"data"`
		}{"-1", msg, nil})
		if err != nil {
			t.Fatal(err)
		}
		if got := rest.AppendFailure(nil, msg); string(got) != string(want)+"\n" {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	})
}

func TestPages(t *testing.T) {
	for _, tt := range []struct{ total, size, want int64 }{
		{0, 20, 0}, {1, 20, 1}, {20, 20, 1}, {21, 20, 2}, {5, 1, 5}, {1<<63 - 1, 1, 1<<63 - 1}, {1<<63 - 1, 2, 1 << 62}, {7, 0, 0},
	} {
		if got := rest.Pages(tt.total, tt.size); got != tt.want {
			t.Errorf("pages(%d, %d) = %d, want %d", tt.total, tt.size, got, tt.want)
		}
	}
}
