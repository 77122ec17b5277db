package rest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	"pgregory.net/rapid"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// The methods below let encoding/json say what the appending encoder must write.

func (i instant) MarshalJSON() ([]byte, error) {
	if !i.set {
		return []byte("null"), nil
	}
	return json.Marshal(i.UTC().Format("2006-01-02T15:04:05.999999Z"))
}

func (a auditTime) MarshalJSON() ([]byte, error) { return json.Marshal(a.Format(auditLayout)) }

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

func wantSame(t *rapid.T, got []byte, value any) {
	want, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
}

func TestTodoItemIsWhatEncodingJSONWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := &todov1.Todo{
			Type:   todov1.TodoType(rapid.Int32Range(-1, 4).Draw(t, "type")),
			Status: todov1.TodoStatus(rapid.Int32Range(-1, 5).Draw(t, "status")),
		}
		fill(t, record)
		item := todoItemOf(record, zones().Draw(t, "zone"))
		wantSame(t, item.appendJSON(nil), item)
	})
}

func TestInboxMessageIsWhatEncodingJSONWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := &messagev1.InboxMessage{Status: messagev1.MessageStatus(rapid.Int32Range(-1, 4).Draw(t, "status"))}
		fill(t, record)
		for range rapid.IntRange(0, 3).Draw(t, "actions") {
			record.Actions = append(record.Actions, &messagev1.MessageAction{
				Label: texts().Draw(t, "label"), Url: texts().Draw(t, "url"),
			})
		}
		message := inboxMessageOf(record, zones().Draw(t, "zone"))
		wantSame(t, message.appendJSON(nil), message)
	})
}

func TestFailureIsWhatEncodingJSONWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msg := texts().Draw(t, "msg")
		wantSame(t, bytes.TrimSuffix(appendFailure(nil, msg), []byte("\n")), struct {
			Code string `json:"code"`
			Msg  string `json:"msg"`
			Data *int   `json:"data"`
		}{"-1", msg, nil})
	})
}

func TestPages(t *testing.T) {
	for _, tt := range []struct{ total, size, want int64 }{
		{0, 20, 0}, {1, 20, 1}, {20, 20, 1}, {21, 20, 2}, {5, 1, 5}, {1<<63 - 1, 1, 1<<63 - 1}, {1<<63 - 1, 2, 1 << 62}, {7, 0, 0},
	} {
		if got := pages(tt.total, tt.size); got != tt.want {
			t.Errorf("pages(%d, %d) = %d, want %d", tt.total, tt.size, got, tt.want)
		}
	}
}
