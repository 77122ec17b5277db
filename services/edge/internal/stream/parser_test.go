package stream_test

import (
	"strings"
)

// received is what a browser makes of an event.
type received struct{ Type, Data, LastEventID string }

// parsed is what a browser makes of a stream.
type parsed struct {
	events []received
	retry  string // the last one that counts

	eventType, data, lastEventID string
}

// parse follows the standard (WHATWG HTML, section 9.2.6, "Interpreting an event stream").
func parse(stream string) *parsed {
	p := &parsed{}
	stream = strings.TrimPrefix(stream, "\uFEFF")
	for stream != "" {
		end := strings.IndexAny(stream, "\r\n")
		if end < 0 {
			break // an unfinished line is not processed
		}
		line := stream[:end]
		if strings.HasPrefix(stream[end:], "\r\n") {
			end++
		}
		stream = stream[end+1:]
		p.line(line)
	}
	return p
}

func (p *parsed) line(line string) {
	if line == "" {
		p.dispatch()
		return
	}
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "event":
		p.eventType = value
	case "data":
		p.data += value + "\n"
	case "id":
		if !strings.Contains(value, "\x00") {
			p.lastEventID = value
		}
	case "retry":
		if value != "" && strings.Trim(value, "0123456789") == "" {
			p.retry = value
		}
	}
}

func (p *parsed) dispatch() {
	eventType, data := p.eventType, p.data
	p.eventType, p.data = "", ""
	if data == "" {
		return
	}
	if eventType == "" {
		eventType = "message"
	}
	p.events = append(p.events, received{eventType, strings.TrimSuffix(data, "\n"), p.lastEventID})
}
