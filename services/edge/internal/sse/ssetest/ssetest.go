// Package ssetest reads event streams as a browser does, for tests.
package ssetest

import "strings"

// Event is what a browser makes of an event.
type Event struct{ Type, Data, LastEventID string }

// Stream is what a browser makes of a stream.
type Stream struct {
	Events []Event
	// Retry is the last one that counts.
	Retry string

	eventType, data, lastEventID string
}

// Parse follows the standard (WHATWG HTML, section 9.2.6, "Interpreting an event stream").
func Parse(stream string) *Stream {
	p := &Stream{}
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

func (p *Stream) line(line string) {
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
			p.Retry = value
		}
	}
}

func (p *Stream) dispatch() {
	eventType, data := p.eventType, p.data
	p.eventType, p.data = "", ""
	if data == "" {
		return
	}
	if eventType == "" {
		eventType = "message"
	}
	p.Events = append(p.Events, Event{eventType, strings.TrimSuffix(data, "\n"), p.lastEventID})
}
