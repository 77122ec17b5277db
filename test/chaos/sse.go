package chaos

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// message is what one block of lines of a stream says.
type message struct {
	// kind and id are those of an event; kind is empty for a block without data.
	kind, id string
	// hasID tells whether a browser takes id for its last one.
	hasID bool
	// retry is how long to wait before the next connect, from now on; 0 leaves it as it is.
	retry time.Duration
}

// eventReader reads a stream as Hub writes it, with a line feed at the end of each line.
type eventReader struct{ lines *bufio.Reader }

// next gives the next block. When the stream ends inside of one, only its retry counts. What breaks the
// contract is errGaveUp.
func (r eventReader) next() (message, error) {
	var m message
	var data, id string
	for {
		line, err := r.lines.ReadString('\n')
		if err != nil {
			return message{retry: m.retry}, err
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "":
			return m.with(id, data)
		case "event":
			m.kind = value
		case "id":
			id, m.hasID = value, true
		case "data":
			data += value
		case "retry":
			ms, err := strconv.Atoi(value)
			if err != nil {
				return message{}, fmt.Errorf("%w: a retry of %q", errGaveUp, value)
			}
			m.retry = time.Duration(ms) * time.Millisecond
		}
	}
}

// with completes m. The lines must agree with the data (contract, Events).
func (m message) with(id, data string) (message, error) {
	if data == "" {
		m.kind, m.id = "", id
		return m, nil
	}
	var told struct {
		Type string  `json:"type"`
		ID   *string `json:"id"`
		TS   int64   `json:"ts"`
	}
	if err := json.Unmarshal([]byte(data), &told); err != nil {
		return m, fmt.Errorf("%w: data %s: %w", errGaveUp, data, err)
	}
	if told.ID != nil {
		m.id = *told.ID
	}
	// An event of a todo has no id line.
	agree := m.id == id && (told.ID != nil) == m.hasID
	if m.kind == "todo" {
		agree = !m.hasID
	}
	if told.Type != m.kind || !agree || told.TS == 0 {
		return m, fmt.Errorf("%w: event %q with id %q has the data %s", errGaveUp, m.kind, id, data)
	}
	return m, nil
}
