package contract

import (
	"bufio"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// replaced opens a stream, lets it have an event, replaces it, and gives the answer, its whole body with
// plain line ends, and how that ended.
func (s *suite) replaced(t *testing.T) (answer *http.Response, body string, end error) {
	t.Helper()
	message := newMessage()
	answer, err := s.do(t.Context(), request{
		method: http.MethodGet,
		path:   streamPath + "?" + pairs([]string{"user", message.target()}),
		header: http.Header{"Authorization": {"Bearer " + s.main.bearer(t)}},
	})
	if err != nil {
		t.Fatalf("open the stream of %s: %v", message.target(), err)
	}
	defer func() { _ = answer.Body.Close() }()
	hangUp := time.AfterFunc(3*eventTimeout, func() { _ = answer.Body.Close() })
	defer hangUp.Stop()
	var text strings.Builder
	lines := bufio.NewReader(answer.Body)
	readTo := func(start string) {
		t.Helper()
		for line := ""; !strings.HasPrefix(line, start); {
			if line, err = lines.ReadString('\n'); err != nil {
				t.Fatalf("the stream ended before %q: %v", start, err)
			}
			text.WriteString(line)
		}
	}
	readTo("retry:")
	s.main.push(t, message)
	readTo("event: message")
	s.main.open(t, message.target(), nil)
	_, end = io.Copy(&text, lines)
	return answer, strings.ReplaceAll(text.String(), "\r\n", "\n"), end
}

func streamNoEmptyEvent(t *testing.T, s *suite) {
	_, body, _ := s.replaced(t)
	isData := func(line string) bool { return strings.HasPrefix(line, "data:") }
	// The end of the stream ends an event, too, for some parsers.
	for block := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		if !slices.ContainsFunc(strings.Split(block, "\n"), isData) {
			t.Errorf("%q has no data, in %q", block, body)
		}
	}
}

func streamEnd(t *testing.T, s *suite) {
	answer, body, err := s.replaced(t)
	if err != nil {
		t.Errorf("the replaced stream ended with %v after %q", err, body)
	}
	// A body that only ends with its connection ends alike when the connection is cut.
	if answer.ProtoMajor == 1 && !slices.Equal(answer.TransferEncoding, []string{"chunked"}) {
		t.Errorf("the stream has the transfer encoding %v, want chunked", answer.TransferEncoding)
	}
}
