package rest

import (
	"time"
	"unsafe"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// A page of a hub becomes JSON without becoming messages first: their decoding would cost more than
// all that this package does to a page, and several hundred allocations. A property test holds what is
// read here to what is read from messages.

// Codec is gRPC's codec for protobuf, but that it leaves list answers as they came: all their fields
// are unknown to the message.
func Codec() encoding.CodecV2 { return wireCodec{encoding.GetCodecV2(proto.Name)} }

type wireCodec struct{ encoding.CodecV2 }

// Unmarshal implements encoding.CodecV2.
func (c wireCodec) Unmarshal(data mem.BufferSlice, v any) error {
	switch m := v.(type) {
	case *todov1.ListTodosResponse:
		m.ProtoReflect().SetUnknown(data.Materialize())
	case *messagev1.ListInboxResponse:
		m.ProtoReflect().SetUnknown(data.Materialize())
	default:
		return c.CodecV2.Unmarshal(data, v)
	}
	return nil
}

// wirePage is a list answer of either hub, which have the same fields, as it came.
type wirePage struct {
	rows              [][]byte
	page, size, total int64
}

// GetPage implements paged.
func (p *wirePage) GetPage() int64 { return p.page }

// GetSize implements paged.
func (p *wirePage) GetSize() int64 { return p.size }

// GetTotalCount implements paged.
func (p *wirePage) GetTotalCount() int64 { return p.total }

func (p *wirePage) read(raw protoreflect.RawFields) error {
	return eachField(raw, func(number protowire.Number, text []byte, value uint64) {
		switch number {
		case 1:
			p.rows = append(p.rows, text)
		case 2:
			p.page = int64(value)
		case 3:
			p.size = int64(value)
		case 4:
			p.total = int64(value)
		}
	})
}

// maxNumber is the largest field number of a record.
const maxNumber = 21

// record is a Todo or an InboxMessage as it came: its fields by their numbers.
type record struct {
	zone   *time.Location
	raw    []byte
	texts  [maxNumber + 1][]byte
	values [maxNumber + 1]uint64
	// err is the first fault of the records that were read.
	err error
}

// read goes on to the next record. A field of a later version is left out.
func (r *record) read(raw []byte) {
	r.raw = raw
	clear(r.texts[:])
	clear(r.values[:])
	r.fields(raw, func(number protowire.Number, text []byte, value uint64) {
		if number <= maxNumber {
			r.texts[number], r.values[number] = text, value
		}
	})
}

func (r *record) fields(raw []byte, see func(number protowire.Number, text []byte, value uint64)) {
	if err := eachField(raw, see); err != nil && r.err == nil {
		r.err = err
	}
}

// text shares the memory of the answer, which nobody changes.
func (r *record) text(number int) string { return view(r.texts[number]) }

func view(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

// instant reads an optional google.protobuf.Timestamp.
func (r *record) instant(number int) instant {
	if r.texts[number] == nil {
		return instant{}
	}
	return instant{r.time(number).Truncate(time.Microsecond), true}
}

func (r *record) time(number int) time.Time {
	var seconds, nanos int64
	r.fields(r.texts[number], func(number protowire.Number, _ []byte, value uint64) {
		switch number {
		case 1:
			seconds = int64(value)
		case 2:
			nanos = int64(value)
		}
	})
	return time.Unix(seconds, nanos).UTC()
}

func (r *record) audit(create, modify, creator, modifier int) audit {
	return audit{
		CreateTime: auditTime{r.time(create).In(r.zone)},
		ModifyTime: auditTime{r.time(modify).In(r.zone)},
		Creator:    r.text(creator),
		CreatorID:  r.text(creator),
		Modifier:   r.text(modifier),
		ModifierID: r.text(modifier),
	}
}

// todo reads a todov1.Todo.
func (r *record) todo() todoItem {
	return todoItem{
		ID:                r.text(1),
		Type:              todoTypes.word(todov1.TodoType(r.values[2])),
		SourceSystem:      r.text(3),
		SourceBizID:       r.text(4),
		AssigneeUsername:  r.text(5),
		InitiatorUsername: r.text(6),
		Title:             r.text(7),
		Summary:           r.text(8),
		Category:          r.text(9),
		ActionURL:         r.text(10),
		ActionAppID:       r.text(11),
		DueAt:             r.instant(12),
		Status:            todoStatuses.word(todov1.TodoStatus(r.values[13])),
		Result:            r.text(14),
		ClearedAt:         r.instant(15),
		ClearedBy:         r.text(16),
		Reason:            r.text(17),
		audit:             r.audit(18, 19, 20, 21),
	}
}

// message reads a messagev1.InboxMessage.
func (r *record) message() inboxMessage {
	return inboxMessage{
		ID:              r.text(1),
		Username:        r.text(2),
		SourceAppID:     r.text(3),
		SourceMessageID: r.text(4),
		IdempotencyKey:  idempotencyKey(r.text(3), r.text(4), r.text(2)),
		Title:           r.text(5),
		Content:         r.text(6),
		Category:        r.text(7),
		Actions:         r.actions(8),
		Status:          messageStatuses.word(messagev1.MessageStatus(r.values[9])),
		OccurredAt:      r.instant(10),
		ReadAt:          r.instant(11),
		audit:           r.audit(12, 13, 14, 15),
	}
}

// actions reads a repeated messagev1.MessageAction.
func (r *record) actions(number protowire.Number) []messageAction {
	if r.texts[number] == nil {
		return nil
	}
	var all []messageAction
	r.fields(r.raw, func(n protowire.Number, text []byte, _ uint64) {
		if n != number {
			return
		}
		var a messageAction
		r.fields(text, func(n protowire.Number, text []byte, _ uint64) {
			switch n {
			case 1:
				a.Label = view(text)
			case 2:
				a.URL = view(text)
			}
		})
		all = append(all, a)
	})
	return all
}

// eachField calls see for each field of a message that is text, bytes, a message or a number.
func eachField(raw []byte, see func(number protowire.Number, text []byte, value uint64)) error {
	for len(raw) > 0 {
		number, kind, n := protowire.ConsumeTag(raw)
		if n < 0 {
			return protowire.ParseError(n)
		}
		raw = raw[n:]
		var text []byte
		var value uint64
		switch kind {
		case protowire.BytesType:
			text, n = protowire.ConsumeBytes(raw)
		case protowire.VarintType:
			value, n = protowire.ConsumeVarint(raw)
		default:
			n = protowire.ConsumeFieldValue(number, kind, raw)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		raw = raw[n:]
		see(number, text, value)
	}
	return nil
}
