package rest

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// asItCame is what the edge gets of a message that a hub sends.
func asItCame[M proto.Message](t *rapid.T, sent, received M) M {
	raw, err := proto.MarshalOptions{AllowPartial: true}.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	// Frames cut an answer anywhere.
	cut := rapid.IntRange(0, len(raw)).Draw(t, "cut")
	data := mem.BufferSlice{mem.SliceBuffer(raw[:cut]), mem.SliceBuffer(raw[cut:])}
	if err := Codec().Unmarshal(data, received); err != nil {
		t.Fatal(err)
	}
	return received
}

// later adds fields that a later version may have.
func later(t *rapid.T, m protoreflect.Message) {
	raw := protowire.AppendTag(nil, protowire.Number(rapid.IntRange(22, 5000).Draw(t, "number")), protowire.BytesType)
	raw = protowire.AppendString(raw, "later")
	raw = protowire.AppendTag(raw, 30, protowire.Fixed64Type)
	m.SetUnknown(protowire.AppendFixed64(raw, 1))
}

func sizes() *rapid.Generator[int64] { return rapid.Int64Range(1, 1<<40) }

// texts that a hub can send: protobuf takes no others.
func makeValid(record proto.Message) {
	record.ProtoReflect().Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if f.Kind() == protoreflect.StringKind && !f.IsList() {
			record.ProtoReflect().Set(f, protoreflect.ValueOfString(string(bytes.ToValidUTF8([]byte(v.String()), []byte("?")))))
		}
		return true
	})
}

func wantSameList(t *rapid.T, decoded, came []byte, err error) {
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(decoded, came) {
		t.Fatalf("from messages %s\nas it came    %s", decoded, came)
	}
}

func TestTodosAsTheyCameAreWhatMessagesSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := zones().Draw(t, "zone")
		sent := &todov1.ListTodosResponse{
			Size: sizes().Draw(t, "size"), Page: rapid.Int64Min(0).Draw(t, "page"),
			TotalCount: rapid.Int64Min(0).Draw(t, "total"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "rows") {
			record := &todov1.Todo{
				Type:   todov1.TodoType(rapid.Int32Range(-1, 4).Draw(t, "type")),
				Status: todov1.TodoStatus(rapid.Int32Range(-1, 5).Draw(t, "status")),
			}
			fill(t, record)
			makeValid(record)
			later(t, record.ProtoReflect())
			sent.Todos = append(sent.Todos, record)
		}
		came := asItCame(t, sent, &todov1.ListTodosResponse{})
		if len(came.GetTodos()) > 0 || came.GetSize() != 0 {
			t.Fatal("the answer was decoded")
		}
		got, err := appendList(nil, came, came.GetTodos(), zone, appendTodo, appendTodoRecord)
		wantSameList(t, appendPage(nil, sent.GetTodos(), zone, appendTodo, sent), got, err)
	})
}

func TestMessagesAsTheyCameAreWhatMessagesSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := zones().Draw(t, "zone")
		sent := &messagev1.ListInboxResponse{
			Size: sizes().Draw(t, "size"), Page: rapid.Int64Min(0).Draw(t, "page"),
			TotalCount: rapid.Int64Min(0).Draw(t, "total"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "rows") {
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
			sent.Messages = append(sent.Messages, record)
		}
		came := asItCame(t, sent, &messagev1.ListInboxResponse{})
		got, err := appendList(nil, came, came.GetMessages(), zone, appendMessage, appendMessageRecord)
		wantSameList(t, appendPage(nil, sent.GetMessages(), zone, appendMessage, sent), got, err)
	})
}

// A hub never sends such bytes, and the edge must not fall over them.
func TestBrokenAnswersAreErrors(t *testing.T) {
	answer := func(raw []byte) ([]byte, error) {
		came := &messagev1.ListInboxResponse{}
		came.ProtoReflect().SetUnknown(raw)
		return appendList([]byte(`{"data":`), came, nil, time.UTC, appendMessage, appendMessageRecord)
	}
	rapid.Check(t, func(t *rapid.T) {
		b, err := answer(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if err == nil && !json.Valid(append(b, '}')) {
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
}
