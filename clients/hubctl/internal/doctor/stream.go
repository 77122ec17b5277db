package doctor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"example.com/hub/clients/hubctl/internal/api"
)

// late is how long after Hub has written something it may come. It allows for the second of a Date.
const late = 2 * time.Second

const bufferAdvice = "a proxy on the way buffers it: switch that off for /message-hub/stream (nginx: proxy_buffering off, and no proxy_ignore_headers X-Accel-Buffering)"

// listened is what came of a stream, and when.
type listened struct {
	status   int           // of the answer; 0 while there is none
	encoding string        // of its body; empty for none
	opened   time.Time     // when the answer's header came
	first    time.Duration // from then to its first byte; 0 is none
	beat     bool          // whether a heartbeat came
	delay    time.Duration // of the heartbeat, by the two clocks
	ended    bool          // whether Hub ended the stream in order
	err      error         // of the network, or the context
}

// stream listens to the stream of a user whom nobody has until a heartbeat comes. Hub writes the reconnect
// time at once, and each heartbeat tells when it was written.
func (p *Patient) stream(ctx context.Context) {
	p.Waiting()
	limited, cancel := context.WithTimeout(ctx, p.Wait)
	defer cancel()
	began := time.Now()
	l := p.listen(limited)
	if ctx.Err() != nil {
		return
	}
	lasted := time.Since(began).Round(100 * time.Millisecond)
	switch over := limited.Err() != nil; {
	case l.status == 0 && over:
		p.find("stream", Fail, fmt.Sprintf("not even its header came within %s", p.Wait), bufferAdvice)
	case l.status == 0:
		p.find("stream", Fail, api.NoAnswer(p.Client.Base, l.err).Cause.Error(), "the connection breaks: look at the proxies on the way")
	case l.status != http.StatusOK:
		p.find("stream", Fail, fmt.Sprintf("it is answered with status %d", l.status), "look at the edge's log, and at the proxies' rules for /message-hub/stream")
	case l.encoding != "":
		p.find("stream", Fail, "it is compressed with "+l.encoding,
			"a proxy compresses it, which holds events back: switch that off for text/event-stream")
	case l.first == 0 && over:
		p.find("stream", Fail, fmt.Sprintf("its header came, and nothing more within %s", p.Wait), bufferAdvice)
	case l.first > late:
		p.find("stream", Fail, fmt.Sprintf("its first line, which Hub writes at once, came %s after the header", l.first.Round(100*time.Millisecond)), bufferAdvice)
	case l.beat && l.delay > late:
		p.find("stream", Fail, fmt.Sprintf("a heartbeat came %s after Hub had written it", l.delay.Round(100*time.Millisecond)), bufferAdvice)
	case l.beat:
		p.find("stream", OK, fmt.Sprintf("nothing holds it back: the first line came %s after the header, and a heartbeat with the first %s",
			l.first.Round(100*time.Microsecond), lasted), "")
	case over:
		p.find("stream", Warn, fmt.Sprintf("it opens at once, but no heartbeat came within %s", p.Wait),
			"with a HUB_HEARTBEAT_INTERVAL that is longer ask again with a longer --wait; else a proxy buffers it")
	case l.ended:
		p.find("stream", Warn, fmt.Sprintf("Hub ended it after %s", lasted), "the edge stops, or has as many streams as it may: look at its log")
	default:
		p.find("stream", Fail, fmt.Sprintf("it was cut after %s: %v", lasted, api.NoAnswer(p.Client.Base, l.err).Cause),
			"a proxy gives up on silence: let it wait for longer than HUB_HEARTBEAT_INTERVAL (nginx: proxy_read_timeout 1h)")
	}
}

func (p *Patient) listen(ctx context.Context) (l listened) {
	token, err := p.Client.Tokens.Token(ctx)
	if err != nil {
		return listened{err: err}
	}
	address := p.Client.Base + "/message-hub/stream?" + url.Values{"user": {fresh()}}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return listened{err: err}
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Accept-Encoding", "identity")
	answer, err := p.Client.HTTP.Do(request)
	if err != nil {
		return listened{err: err}
	}
	defer func() { _ = answer.Body.Close() }()
	l.status, l.encoding, l.opened = answer.StatusCode, answer.Header.Get("Content-Encoding"), time.Now()
	if l.status == http.StatusOK {
		p.read(&l, answer.Body)
	}
	return l
}

// read reads the stream up to a heartbeat.
func (p *Patient) read(l *listened, body io.Reader) {
	lines := bufio.NewReader(body)
	for {
		line, err := lines.ReadString('\n')
		if line != "" && l.first == 0 {
			l.first = max(time.Since(l.opened), 1)
		}
		if err != nil {
			l.ended, l.err = errors.Is(err, io.EOF), err
			return
		}
		data, ok := strings.CutPrefix(line, "data:")
		var event struct {
			Type string
			TS   int64
		}
		if ok && json.Unmarshal([]byte(data), &event) == nil && event.Type == "heartbeat" {
			// Hub's clock says TS; this one said the same when its own time was less by the skew.
			l.beat, l.delay = true, time.Since(time.UnixMilli(event.TS))+p.skew
			return
		}
	}
}
