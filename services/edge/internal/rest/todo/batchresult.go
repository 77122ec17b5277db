package todo

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"example.com/hub/pkg/jsontext"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/shape"
)

// writeBatch writes a todov1.BatchUpsertTodosResponse.
func writeBatch(b []byte, a *rest.Answer) ([]byte, error) {
	faults, _ := a.Kept.(unread)
	var counts [3]int64
	n := 0
	b = append(b, `{"results":[`...)
	err := a.Fields(func(number protowire.Number, text []byte, value uint64) (err error) {
		switch number {
		case 1:
			if n > 0 {
				b = append(b, ',')
			}
			b, err = appendResult(b, text, faults[n])
			n++
		case 2, 3, 4:
			counts[number-2] = int64(value)
		}
		return err
	})
	b = append(b, ']')
	for i, name := range []string{"stored", "stale", "failed"} {
		b = strconv.AppendInt(append(b, `,"`+name+`":`...), counts[i], 10)
	}
	return append(b, '}'), err
}

// appendResult writes a todov1.BatchUpsertResult, or what is known of an item that could not be read.
func appendResult(b, raw []byte, fault unreadItem) ([]byte, error) {
	var id, msg string
	stale := false
	err := shape.Fields(raw, func(number protowire.Number, text []byte, value uint64) error {
		switch number {
		case 1:
			id = string(text)
		case 2:
			msg = string(text)
		case 3:
			stale = value != 0
		}
		return nil
	})
	if fault.err != nil {
		id, msg = fault.todoID, fault.err.Error()
	}
	code := "-1"
	if msg == "" {
		code, msg = "0", "ok"
	}
	b = jsontext.AppendString(append(b, `{"todoId":`...), id)
	b = jsontext.AppendString(append(b, `,"code":`...), code)
	b = jsontext.AppendString(append(b, `,"msg":`...), msg)
	b = strconv.AppendBool(append(b, `,"stale":`...), stale)
	return append(b, '}'), err
}
