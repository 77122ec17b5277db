package socket

import (
	"strconv"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/jsontext"
	"example.com/hub/services/edge/internal/topic"
)

// Kind is the type of a message to a client.
type Kind int

// The messages that there are.
const (
	// Unread tells how many records of the user are UNREAD.
	Unread Kind = iota
	// Created tells of a new record.
	Created
	// TodoChanged tells of a todo that was created, changed or finished, or of any todo where it names none.
	TodoChanged
	// Kinds is how many there are.
	Kinds
)

// String implements fmt.Stringer.
func (k Kind) String() string {
	return [Kinds]string{"inbox.unread.changed", "message.created", "todo.changed"}[k]
}

func (k Kind) topic() topic.Set {
	if k == TodoChanged {
		return topic.Todos
	}
	return topic.Inbox
}

func appendUnread(dst []byte, unread int64, now time.Time) []byte {
	dst = append(dst, `{"type":"inbox.unread.changed","unread":`...)
	dst = strconv.AppendInt(dst, unread, 10)
	return appendTime(dst, now)
}

// appendEvent writes what sockets show of an event.
func appendEvent(dst []byte, kind Kind, e *bus.Event) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, kind.String()...)
	dst = append(dst, `","id":`...)
	if kind == TodoChanged && e.ID == "" {
		dst = append(dst, "null"...)
	} else {
		dst = jsontext.AppendString(dst, e.ID)
	}
	return appendTime(dst, e.Time)
}

func appendTime(dst []byte, at time.Time) []byte {
	dst = append(dst, `,"ts":`...)
	dst = strconv.AppendInt(dst, at.UnixMilli(), 10)
	return append(dst, '}')
}
