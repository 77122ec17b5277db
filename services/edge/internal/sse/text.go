package sse

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/hub/pkg/bus"
)

// AppendEvent appends the text of one event that streams show. clean is false when the id cannot stand in
// an "id:" line, which is then left out: a line break would start a line of the sender's choice, a NUL
// makes clients ignore the line, and an empty or broken one would spoil the client's last event id. The
// data holds the id in any case.
func AppendEvent(dst []byte, e *bus.Event) (text []byte, clean bool) {
	name := word(e.Kind)
	dst = append(dst, "event: "...)
	dst = append(dst, name...)
	clean = e.ID != "" && !strings.ContainsAny(e.ID, "\r\n\x00") && utf8.ValidString(e.ID)
	if clean {
		dst = append(dst, "\nid: "...)
		dst = append(dst, e.ID...)
	}
	dst = append(dst, "\ndata: {\"type\":\""...)
	dst = append(dst, name...)
	dst = append(dst, `","id":`...)
	dst = appendString(dst, e.ID)
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

// word is the contract's word for a kind that streams show.
func word(k bus.Kind) string {
	if k == bus.Read {
		return "read"
	}
	return "message"
}

// appendString appends s as a JSON string that is safe in HTML and JavaScript too. Invalid UTF-8
// becomes U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0 // of what is not appended yet
	for i, r := range s {
		switch {
		case r == utf8.RuneError:
			// Either U+FFFD itself or one broken byte.
			if strings.HasPrefix(s[i:], "\uFFFD") {
				continue
			}
			dst = append(append(dst, s[start:i]...), "\uFFFD"...)
			start = i + 1
		case r == '"', r == '\\':
			dst = append(append(dst, s[start:i]...), '\\', byte(r))
			start = i + 1
		case r < ' ', r == '<', r == '>', r == '&', r == 0x7f, r == '\u2028', r == '\u2029':
			dst = append(dst, s[start:i]...)
			dst = append(dst, '\\', 'u', hex[r>>12], hex[r>>8&0xf], hex[r>>4&0xf], hex[r&0xf])
			start = i + utf8.RuneLen(r)
		}
	}
	return append(append(dst, s[start:]...), '"')
}

const hex = "0123456789abcdef"
