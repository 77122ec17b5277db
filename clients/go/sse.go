package hub

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"time"
)

// maxLine is the longest line of a stream in bytes; Hub's have less than 4 KiB.
const maxLine = 64 << 10

// frame is one event of a stream, as it was sent (WHATWG HTML, section 9.2.6).
type frame struct {
	name, data string
	// id is that of the id line; hasID tells whether there was one.
	id    string
	hasID bool
}

// frames reads the events of a stream.
type frames struct {
	lines *bufio.Scanner
	// retry hears each reconnect time, also one without an event behind it.
	retry func(time.Duration)
}

func newFrames(r io.Reader, retry func(time.Duration)) *frames {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	return &frames{lines: lines, retry: retry}
}

// next gives the next event that has data. It fails with io.EOF when the stream has ended in order, and with
// another error when it was cut.
func (f *frames) next() (frame, error) {
	var e frame
	hasData := false
	for f.lines.Scan() {
		line := f.lines.Text()
		if line == "" {
			if hasData {
				return e, nil
			}
			e = frame{}
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			e.name = value
		case "data":
			if hasData {
				e.data += "\n"
			}
			e.data, hasData = e.data+value, true
		case "id":
			e.id, e.hasID = value, true
		case "retry":
			if ms, err := strconv.ParseUint(value, 10, 31); err == nil {
				f.retry(time.Duration(ms) * time.Millisecond)
			}
		}
	}
	if err := f.lines.Err(); err != nil {
		return frame{}, err
	}
	return frame{}, io.EOF
}
