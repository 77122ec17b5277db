package contract

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// sseEvent is one event of a stream (WHATWG HTML, Server-sent events).
type sseEvent struct {
	// Name is the event's type; "message" when the stream names none.
	Name string
	// Data is the data, lines joined by newlines.
	Data string
	// LastEventID is what a browser would send when it reconnects now.
	LastEventID string
	// HasID tells whether this event had an id line of its own.
	HasID bool
}

// sseReader parses a text/event-stream by the rules that browsers follow.
type sseReader struct {
	lines       *bufio.Scanner
	onRetry     func(milliseconds int)
	lastEventID string
	started     bool
}

// newSSEReader reads from r; onRetry hears every valid retry field.
func newSSEReader(r io.Reader, onRetry func(milliseconds int)) *sseReader {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4096), 1<<20)
	lines.Split((&lineSplitter{}).split)
	return &sseReader{lines: lines, onRetry: onRetry}
}

// next gives the next event that a browser would dispatch. An event that the end of the stream cuts
// off is dropped; the error is then io.EOF.
func (r *sseReader) next() (sseEvent, error) {
	event := sseEvent{}
	hasData := false
	for r.lines.Scan() {
		line := r.lines.Text()
		if !r.started {
			line = strings.TrimPrefix(line, "\ufeff")
			r.started = true
		}
		if line != "" {
			hasData = r.field(line, &event) || hasData
			continue
		}
		if !hasData {
			// Without data a browser only remembers the id.
			event = sseEvent{}
			continue
		}
		event.Data = strings.TrimSuffix(event.Data, "\n")
		event.LastEventID = r.lastEventID
		if event.Name == "" {
			event.Name = "message"
		}
		return event, nil
	}
	if err := r.lines.Err(); err != nil {
		return sseEvent{}, fmt.Errorf("read the stream: %w", err)
	}
	return sseEvent{}, io.EOF
}

// field takes in one line that is not blank and tells whether it was a data field.
func (r *sseReader) field(line string, event *sseEvent) bool {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "event":
		event.Name = value
	case "data":
		event.Data += value + "\n"
		return true
	case "id":
		if !strings.Contains(value, "\x00") {
			r.lastEventID = value
			event.HasID = true
		}
	case "retry":
		if value == "" || strings.Trim(value, "0123456789") != "" {
			break
		}
		if ms, err := strconv.Atoi(value); err == nil && r.onRetry != nil {
			r.onRetry(ms)
		}
	}
	return false
}

// lineSplitter cuts at LF, CR or CRLF. A CR ends a line at once, since waiting for the byte behind it
// would delay an event until the next one; a LF that follows is then skipped.
type lineSplitter struct{ skipLF bool }

func (s *lineSplitter) split(data []byte, _ bool) (advance int, line []byte, err error) {
	start := 0
	if s.skipLF && len(data) > 0 {
		s.skipLF = false
		if data[0] == '\n' {
			start = 1
		}
	}
	for i, c := range data[start:] {
		if c == '\n' || c == '\r' {
			s.skipLF = c == '\r'
			return start + i + 1, data[start : start+i], nil
		}
	}
	// An unended last line is dropped with the event that it belongs to.
	return start, nil, nil
}
