package contract

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func readAll(t *testing.T, r io.Reader) (events []sseEvent, retries []int) {
	t.Helper()
	reader := newSSEReader(r, func(ms int) { retries = append(retries, ms) })
	for {
		e, err := reader.next()
		if errors.Is(err, io.EOF) {
			return events, retries
		}
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
}

func TestSSEReader(t *testing.T) {
	for name, step := range map[string]struct {
		stream  string
		events  []sseEvent
		retries []int
	}{
		"an event with all fields": {
			"event: read\nid: 7\ndata: x\n\n", []sseEvent{{"read", "x", "7", true}}, nil,
		},
		"the name defaults to message":        {"data: x\n\n", []sseEvent{{"message", "x", "", false}}, nil},
		"the id stays for later events":       {"id: 1\ndata: x\n\ndata: y\n\n", []sseEvent{{"message", "x", "1", true}, {"message", "y", "1", false}}, nil},
		"an empty id resets it":               {"id: 1\ndata: x\n\nid\ndata: y\n\n", []sseEvent{{"message", "x", "1", true}, {"message", "y", "", true}}, nil},
		"an id with NUL is ignored":           {"id: a\x00b\ndata: x\n\n", []sseEvent{{"message", "x", "", false}}, nil},
		"one blank is cut":                    {"data:x\n\ndata: x\n\ndata:  x\n\n", []sseEvent{{"message", "x", "", false}, {"message", "x", "", false}, {"message", " x", "", false}}, nil},
		"data lines are joined":               {"data: a\ndata\ndata: b\n\n", []sseEvent{{"message", "a\n\nb", "", false}}, nil},
		"CR, LF and CRLF end lines":           {"data: a\rdata: b\r\ndata: c\n\r\n", []sseEvent{{"message", "a\nb\nc", "", false}}, nil},
		"CR alone dispatches":                 {"data: a\r\rdata: b\r\r", []sseEvent{{"message", "a", "", false}, {"message", "b", "", false}}, nil},
		"comments and unknown fields":         {": hi\nfoo: bar\ndata: x\n\n", []sseEvent{{"message", "x", "", false}}, nil},
		"no data, no event":                   {"event: read\nid: 3\n\ndata: x\n\n", []sseEvent{{"message", "x", "3", false}}, nil},
		"empty data is an event":              {"data\n\n", []sseEvent{{"message", "", "", false}}, nil},
		"an event that is cut off is dropped": {"data: x\n\ndata: y\n", []sseEvent{{"message", "x", "", false}}, nil},
		"a line that is cut off is dropped":   {"data: x\n\ndata: y", []sseEvent{{"message", "x", "", false}}, nil},
		"a byte order mark is skipped":        {"\ufeffdata: x\n\n", []sseEvent{{"message", "x", "", false}}, nil},
		"colons in values":                    {"data: a: b:c\n\n", []sseEvent{{"message", "a: b:c", "", false}}, nil},
		"valid retry fields":                  {"retry: 3000\n\nretry:5\n", nil, []int{3000, 5}},
		"other retry fields":                  {"retry: 3s\nretry: -1\nretry: 1.5\nretry\nretry:  7\n", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for way, r := range map[string]io.Reader{
				"whole":      strings.NewReader(step.stream),
				"bytewise":   iotest.OneByteReader(strings.NewReader(step.stream)),
				"with error": iotest.DataErrReader(strings.NewReader(step.stream)),
			} {
				events, retries := readAll(t, r)
				if diff := cmp.Diff(step.events, events); diff != "" {
					t.Errorf("%s: the events differ (-want +got):\n%s", way, diff)
				}
				if diff := cmp.Diff(step.retries, retries); diff != "" {
					t.Errorf("%s: the retries differ (-want +got):\n%s", way, diff)
				}
			}
		})
	}
}

// An event must be seen when it is there, not when the byte behind it comes.
func TestSSEReaderDoesNotWaitForMore(t *testing.T) {
	for _, stream := range []string{"data: x\n\n", "data: x\r\r", "data: x\r\n\r\n"} {
		r, w := io.Pipe()
		go func() { _, _ = io.WriteString(w, stream) }()
		e, err := newSSEReader(r, nil).next()
		if err != nil || e.Data != "x" {
			t.Errorf("%q: event %+v, error %v", stream, e, err)
		}
		// The LF of the last CRLF may still be on its way; closing lets the writer go.
		_ = r.Close()
	}
}
