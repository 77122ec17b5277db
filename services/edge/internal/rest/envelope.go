package rest

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"google.golang.org/protobuf/proto"

	"example.com/hub/pkg/field"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// The parts of every envelope (contract, Response envelope). It ends with a line feed, for the sake of
// terminals.
const (
	successHead = `{"code":"0","msg":"ok","data":`
	failureHead = `{"code":"-1","msg":`
	failureTail = `,"data":null}` + "\n"
)

// appendFailure writes the envelope of a failure.
func appendFailure(b []byte, msg string) []byte {
	b = append(b, failureHead...)
	b = appendString(b, msg)
	return append(b, failureTail...)
}

// rewrite turns a hub's answer into the envelope, encoded into the buffer of the exchange.
func (h *Handler) rewrite(ctx context.Context, message proto.Message) (_ any, err error) {
	buffers := exchangeOf(ctx).buffers
	b := buffers.answer[:0]
	b = append(b, successHead...)
	switch m := message.(type) {
	case *todov1.UpsertTodoResponse:
		b = appendTodo(b, m.GetTodo(), h.zone)
	case *todov1.ClearTodoResponse:
		b = appendTodo(b, m.GetTodo(), h.zone)
	case *todov1.InvalidateTodoResponse:
		b = appendTodo(b, m.GetTodo(), h.zone)
	case *todov1.ListTodosResponse:
		b, err = appendList(b, m, m.GetTodos(), h.zone, appendTodo, appendTodoRecord)
	case *messagev1.ListInboxResponse:
		b, err = appendList(b, m, m.GetMessages(), h.zone, appendMessage, appendMessageRecord)
	case *messagev1.CountUnreadResponse:
		b = strconv.AppendInt(b, m.GetCount(), 10)
	case *messagev1.PushMessageResponse, *messagev1.MarkReadResponse:
		b = append(b, "null"...)
	default:
		return nil, errUnmapped(message)
	}
	if err != nil {
		return nil, fmt.Errorf("read the answer of a hub: %w", err)
	}
	b = append(b, "}\n"...)
	buffers.answer = b
	if !exchangeOf(ctx).reserved.settle(cap(b)) {
		return nil, errNoRoom
	}
	return encoded(b), nil
}

func appendTodo(b []byte, t *todov1.Todo, zone *time.Location) []byte {
	item := todoItemOf(t, zone)
	return item.appendJSON(b)
}

func appendMessage(b []byte, m *messagev1.InboxMessage, zone *time.Location) []byte {
	message := inboxMessageOf(m, zone)
	return message.appendJSON(b)
}

func appendTodoRecord(b []byte, r *record) []byte {
	item := r.todo()
	return item.appendJSON(b)
}

func appendMessageRecord(b []byte, r *record) []byte {
	message := r.message()
	return message.appendJSON(b)
}

// appendList writes a list answer, be it decoded or as it came from Codec. In an answer that was
// decoded the size is never 0.
func appendList[R any](
	b []byte, m interface {
		proto.Message
		paged
	},
	rows []R, zone *time.Location,
	appendRow func([]byte, R, *time.Location) []byte, appendRecord func([]byte, *record) []byte,
) ([]byte, error) {
	raw := m.ProtoReflect().GetUnknown()
	if m.GetSize() > 0 || len(raw) == 0 {
		return appendPage(b, rows, zone, appendRow, m), nil
	}
	page := wirePage{rows: make([][]byte, 0, field.DefaultPageSize)}
	if err := page.read(raw); err != nil {
		return nil, err
	}
	r := &record{zone: zone}
	appendRaw := func(b, raw []byte, _ *time.Location) []byte {
		r.read(raw)
		return appendRecord(b, r)
	}
	return appendPage(b, page.rows, zone, appendRaw, &page), r.err
}

// paged is a list answer of either hub.
type paged interface {
	GetPage() int64
	GetSize() int64
	GetTotalCount() int64
}

// appendPage writes the data and what follows it in a paged envelope.
func appendPage[R any](b []byte, rows []R, zone *time.Location, appendRow func([]byte, R, *time.Location) []byte, p paged) []byte {
	b = append(b, '[')
	for i, row := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendRow(b, row, zone)
	}
	b = append(b, ']')
	// Pages count from 1 here. The largest number has no successor; the page is past the end anyway.
	b = appendInt(b, `,"page":{"page":`, min(p.GetPage(), math.MaxInt64-1)+1)
	b = appendInt(b, `,"totalCount":`, p.GetTotalCount())
	b = appendInt(b, `,"totalPages":`, pages(p.GetTotalCount(), p.GetSize()))
	b = appendInt(b, `,"size":`, p.GetSize())
	b = append(b, '}')
	return appendInt(b, `,"count":`, int64(len(rows)))
}

// pages counts the pages of a list; an empty list has none.
func pages(total, size int64) int64 {
	if size < 1 {
		return 0
	}
	n := total / size
	if total%size > 0 {
		n++
	}
	return n
}

// countHeaders tells the counts of a push and of a mark read, for which the contract's envelope has no
// room.
func countHeaders(_ context.Context, w http.ResponseWriter, message proto.Message) error {
	set := func(name string, count int32) { w.Header().Set(name, strconv.FormatInt(int64(count), 10)) }
	switch m := message.(type) {
	case *messagev1.PushMessageResponse:
		set("Hub-Created", m.GetCreated())
		set("Hub-Duplicates", m.GetDuplicates())
	case *messagev1.MarkReadResponse:
		set("Hub-Switched", m.GetSwitched())
	}
	return nil
}
