package rest

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"example.com/hub/services/edge/internal/front"
	"example.com/hub/services/edge/internal/shape"
)

// Answer is a hub's answer on its way to the caller.
type Answer struct {
	// Header is that of the answer to the caller.
	Header http.Header

	// raw is the message in protobuf.
	raw     []byte
	records shape.Writer
}

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
	a.Header, a.raw, a.records.Zone = x.Header(), raw, h.zone
	b, err := x.route.Write(append(x.buffers.answer[:0], front.SuccessHead...), a)
	if err != nil {
		return nil, fmt.Errorf("read the answer of a hub: %w", err)
	}
	b = append(b, front.SuccessTail...)
	x.buffers.answer = b
	if !x.reserved.Settle(cap(b)) {
		return nil, errNoMemory
	}
	return encoded(b), nil
}

// Item writes the record that is field 1 of an answer.
func Item(table *shape.Table) Writer {
	return func(b []byte, a *Answer) ([]byte, error) {
		var record []byte
		err := shape.Fields(a.raw, func(number protowire.Number, text []byte, _ uint64) error {
			if number == 1 {
				record = text
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		return a.records.Append(b, table, record)
	}
}

// Number writes the number that is field 1 of an answer.
func Number(b []byte, a *Answer) ([]byte, error) {
	n, err := a.number(1)
	return strconv.AppendInt(b, n, 10), err
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

// List writes the records of a list answer and its page. All list answers have the records in field 1,
// and then page, size and total count.
func List(table *shape.Table) Writer {
	return func(b []byte, a *Answer) ([]byte, error) {
		var count, page, size, total int64
		b = append(b, '[')
		err := shape.Fields(a.raw, func(number protowire.Number, text []byte, value uint64) (err error) {
			switch number {
			case 1:
				if count > 0 {
					b = append(b, ',')
				}
				count++
				b, err = a.records.Append(b, table, text)
			case 2:
				page = int64(value)
			case 3:
				size = int64(value)
			case 4:
				total = int64(value)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		// Pages count from 1 here. The largest number has no successor; the page is past the end anyway.
		b = appendInt(b, `],"page":{"page":`, min(page, math.MaxInt64-1)+1)
		b = appendInt(b, `,"totalCount":`, total)
		b = appendInt(b, `,"totalPages":`, pages(total, size))
		b = appendInt(b, `,"size":`, size)
		return appendInt(b, `},"count":`, count), nil
	}
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
