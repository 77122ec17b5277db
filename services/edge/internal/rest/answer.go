package rest

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strconv"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"example.com/hub/pkg/jsontext"
	"example.com/hub/services/edge/internal/front"
	"example.com/hub/services/edge/internal/shape"
)

// Answer is a hub's answer on its way to the caller.
type Answer struct {
	// Header is that of the answer to the caller.
	Header http.Header
	// Kept is what the Reader of the request has kept, or nil.
	Kept any

	// raw is the message in protobuf.
	raw     []byte
	records shape.Writer
	// walk says that the request asked for a list by a cursor.
	walk bool
	// audited are the ids in the answer to an administrator's call, by their names.
	audited []slog.Attr
	// location is where the caller is sent, in the place of an answer; empty is nowhere.
	location string
}

// Redirect sends the caller somewhere else, in the place of an answer.
func (a *Answer) Redirect(location string) { a.location = location }

// Writer appends what follows `"data":` in the envelope, all but the last brace.
type Writer func(b []byte, a *Answer) ([]byte, error)

// rewrite turns a hub's answer into the envelope, encoded into the buffer of the exchange.
func (h *Handler) rewrite(ctx context.Context, message proto.Message) (any, error) {
	x := exchangeOf(ctx)
	if x.route.Write == nil {
		return nil, errUnmapped(message)
	}
	raw, err := wire(&x.buffers.message, message)
	if err != nil {
		return nil, fmt.Errorf("encode the answer of a hub: %w", err)
	}
	a := &x.buffers.written
	a.Header, a.raw, a.walk = x.Header(), raw, x.buffers.request.walk
	a.Kept = x.buffers.request.kept
	a.records.Zone, a.records.Extended, a.records.Users = h.zone, x.buffers.request.extended, h.users
	b, err := x.route.Write(append(x.buffers.answer[:0], front.SuccessHead...), a)
	if err != nil {
		return nil, fmt.Errorf("read the answer of a hub: %w", err)
	}
	if a.location != "" {
		a.Header.Del("Content-Type")
		a.Header.Set("Location", a.location)
		x.WriteHeader(http.StatusSeeOther)
		return encoded(nil), nil
	}
	b = append(b, front.SuccessTail...)
	x.buffers.answer = b
	if !x.reserved.Settle(cap(b)) {
		return nil, errNoMemory
	}
	return encoded(b), nil
}

// StaleHeader is true where a change was too old to be made.
const StaleHeader = "Hub-Stale"

// Item writes the record that is field 1 of an answer. Field 2 says that it is stale.
func Item(table *shape.Table) Writer {
	return func(b []byte, a *Answer) ([]byte, error) {
		var record []byte
		err := shape.Fields(a.raw, func(number protowire.Number, text []byte, value uint64) error {
			switch {
			case number == 1:
				record = text
			case number == 2 && value != 0:
				a.Header.Set(StaleHeader, "true")
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		return a.records.Append(b, table, record)
	}
}

// Created is Item for a record that the call has made. Its id, which is its field 1, is in the line of an
// administrator's call, by this name.
func Created(table *shape.Table, name string) Writer {
	write := Item(table)
	return func(b []byte, a *Answer) ([]byte, error) {
		err := a.Fields(func(number protowire.Number, record []byte, _ uint64) error {
			if number != 1 {
				return nil
			}
			return shape.Fields(record, func(number protowire.Number, id []byte, _ uint64) error {
				if number == 1 {
					a.audited = append(a.audited, slog.String(name, string(id)))
				}
				return nil
			})
		})
		if err != nil {
			return nil, err
		}
		return write(b, a)
	}
}

// Number writes the number that is field 1 of an answer.
func Number(b []byte, a *Answer) ([]byte, error) {
	n, err := a.number(1)
	return strconv.AppendInt(b, n, 10), err
}

// All writes the records that are field 1 of an answer which is a whole list, and their number.
func All(table *shape.Table) Writer {
	return func(b []byte, a *Answer) ([]byte, error) {
		count := int64(0)
		b = append(b, '[')
		err := shape.Fields(a.raw, func(number protowire.Number, text []byte, _ uint64) (err error) {
			if number != 1 {
				return nil
			}
			if count > 0 {
				b = append(b, ',')
			}
			count++
			b, err = a.records.Append(b, table, text)
			return err
		})
		return appendInt(append(b, ']'), `,"count":`, count), err
	}
}

// Nothing writes null. The counts of an answer, which the contract's envelope has no field for, become
// headers; they are its fields from 1 on.
func Nothing(headers ...string) Writer {
	return func(b []byte, a *Answer) ([]byte, error) {
		for i, name := range headers {
			n, err := a.number(protowire.Number(i + 1))
			if err != nil {
				return nil, err
			}
			a.Header.Set(name, strconv.FormatInt(n, 10))
		}
		return append(b, "null"...), nil
	}
}

// Fields calls see for each field of the answer, as shape.Fields does.
func (a *Answer) Fields(see func(number protowire.Number, text []byte, value uint64) error) error {
	return shape.Fields(a.raw, see)
}

// number gives the value of a field that is an integer.
func (a *Answer) number(field protowire.Number) (n int64, err error) {
	err = shape.Fields(a.raw, func(number protowire.Number, _ []byte, value uint64) error {
		if number == field {
			n = int64(value)
		}
		return nil
	})
	return n, err
}

// Counts writes an object of integers, which are the fields of an answer from 1 on.
func Counts(names ...string) Writer {
	return func(b []byte, a *Answer) ([]byte, error) {
		for i, name := range names {
			n, err := a.number(protowire.Number(i + 1))
			if err != nil {
				return nil, err
			}
			front := `,"`
			if i == 0 {
				front = `{"`
			}
			b = appendInt(b, front+name+`":`, n)
		}
		return append(b, '}'), nil
	}
}

// List writes the records of a list answer and its page. All list answers have the records in field 1,
// then page, size and total count, and in field 5 the token of the next page.
func List(table *shape.Table) Writer { return list(table, false) }

// MarkedList is List for pages that have a watermark, in field 6, where the list is walked.
func MarkedList(table *shape.Table) Writer { return list(table, true) }

func list(table *shape.Table, marked bool) Writer {
	return func(b []byte, a *Answer) ([]byte, error) {
		p := page{marked: marked}
		b = append(b, '[')
		err := shape.Fields(a.raw, func(number protowire.Number, text []byte, value uint64) (err error) {
			switch number {
			case 1:
				if p.count > 0 {
					b = append(b, ',')
				}
				p.count++
				b, err = a.records.Append(b, table, text)
			case 2:
				p.number = int64(value)
			case 3:
				p.size = int64(value)
			case 4:
				p.total = int64(value)
			case 5:
				p.next = text
			case 6:
				p.watermark = text
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if a.walk {
			return p.appendPlace(append(b, ']'))
		}
		return p.appendNumber(append(b, ']')), nil
	}
}

// page is what a list answer says of itself.
type page struct {
	count, number, size, total int64
	// next is the token of the next page, of a list that is walked.
	next []byte
	// watermark is that of a list that is walked and marked.
	watermark []byte
	marked    bool
}

// appendNumber writes where a page is by its number. Pages count from 1 here. The largest number has no
// successor; the page is past the end anyway.
func (p *page) appendNumber(b []byte) []byte {
	b = appendInt(b, `,"page":{"page":`, min(p.number, math.MaxInt64-1)+1)
	b = appendInt(b, `,"totalCount":`, p.total)
	b = appendInt(b, `,"totalPages":`, pages(p.total, p.size))
	b = appendInt(b, `,"size":`, p.size)
	return appendInt(b, `},"count":`, p.count)
}

// errNotWalked is a hub of an earlier version, which knows no tokens and counts.
var errNotWalked = status.Error(codes.Unavailable, "the hub does not know cursors yet")

// appendPlace writes where the page behind this one begins.
func (p *page) appendPlace(b []byte) ([]byte, error) {
	if p.total != 0 {
		return nil, errNotWalked
	}
	b = appendInt(b, `,"page":{"size":`, p.size)
	b = appendToken(b, `,"nextCursor":`, p.next)
	if p.marked {
		b = appendToken(b, `,"watermark":`, p.watermark)
	}
	return appendInt(b, `},"count":`, p.count), nil
}

// appendToken writes null for none.
func appendToken(b []byte, front string, token []byte) []byte {
	b = append(b, front...)
	if len(token) == 0 {
		return append(b, "null"...)
	}
	return jsontext.AppendString(b, string(token))
}

func appendInt(b []byte, front string, value int64) []byte {
	return strconv.AppendInt(append(b, front...), value, 10)
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
