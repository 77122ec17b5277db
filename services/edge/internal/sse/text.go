package sse

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/jsontext"
)

// AppendEvent appends the text of one event that streams show. clean is false when the id cannot stand in
// an "id:" line, which is then left out: a line break would start a line of the sender's choice, a NUL
// makes clients ignore the line, and an empty or broken one would spoil the client's last event id. The
// data holds the id in any case. Events of todos never have that line, since the last event id is that of
// the inbox.
func AppendEvent(dst []byte, e *bus.Event) (text []byte, clean bool) {
	name := word(e.Kind)
	dst = append(dst, "event: "...)
	dst = append(dst, name...)
	clean = true
	if e.Kind.Inbox() {
		if clean = e.ID != "" && !strings.ContainsAny(e.ID, "\r\n\x00") && utf8.ValidString(e.ID); clean {
			dst = append(dst, "\nid: "...)
			dst = append(dst, e.ID...)
		}
	}
	dst = append(dst, "\ndata: {\"type\":\""...)
	dst = append(dst, name...)
	dst = append(dst, `","id":`...)
	if e.Kind == bus.Todo && e.ID == "" {
		dst = append(dst, "null"...)
	} else {
		dst = jsontext.AppendString(dst, e.ID)
	}
	return appendTime(dst, e.Time), clean
}

func appendHeartbeat(dst []byte, now time.Time) []byte {
	dst = append(dst, "event: heartbeat\ndata: {\"type\":\"heartbeat\",\"id\":null"...)
	return appendTime(dst, now)
}

// appendTime ends the data, and the frame.
func appendTime(dst []byte, t time.Time) []byte {
	dst = append(dst, `,"ts":`...)
	dst = strconv.AppendInt(dst, t.UnixMilli(), 10)
	return append(dst, "}\n\n"...)
}

func appendRetry(dst []byte, wait time.Duration) []byte {
	dst = append(dst, "retry: "...)
	dst = strconv.AppendInt(dst, wait.Milliseconds(), 10)
	return append(dst, '\n')
}

// word is the word for a kind that streams show, of which the contract has two.
func word(k bus.Kind) string {
	switch k {
	case bus.Read:
		return "read"
	case bus.Todo:
		return "todo"
	default:
		return "message"
	}
}
