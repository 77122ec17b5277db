package portal

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

func forwardAnswerCases() []forwardCase {
	return []forwardCase{
		{"status and body come back as they are", forwardsAnswers},
		{"a redirect comes back and is not followed", forwardsRedirects},
		{"interim answers stay at Hub", forwardsNoInterim},
		{"each event comes when it is sent", forwardsEvents},
		{"an answer may begin before its request has ended", forwardsEarlyAnswers},
		{"a caller who leaves ends the call", forwardsLeaving},
		{"an answer that breaks off is cut", forwardsCuts},
	}
}

func forwardsAnswers(t *testing.T, f *forwarding) {
	path := f.center.answer(t, func(w http.ResponseWriter, r *http.Request) {
		status, _ := strconv.Atoi(r.URL.Query().Get("status"))
		w.WriteHeader(status)
		if status != http.StatusNoContent && status != http.StatusNotModified {
			_, _ = io.WriteString(w, `{"code":"0"} of `+strconv.Itoa(status))
		}
	})
	for _, status := range []int{200, 201, 204, 304, 400, 401, 403, 404, 409, 418, 429, 500, 502, 503, 504, 599} {
		r := f.send(t, http.MethodGet, path+"?status="+strconv.Itoa(status), nil, "")
		byCenter(t, r, status)
		if status != http.StatusNoContent && status != http.StatusNotModified {
			want(t, "the body", string(r.body), `{"code":"0"} of `+strconv.Itoa(status))
		}
	}
	// What is compressed stays so, and nobody asks for it but the caller.
	packed := f.center.answer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, "no gzip at all, for "+r.Header.Get("Accept-Encoding"))
	})
	r := f.send(t, http.MethodGet, packed, http.Header{"Accept-Encoding": {"gzip"}}, "")
	want(t, "the body", string(r.body), "no gzip at all, for gzip")
	head := f.send(t, http.MethodHead, packed, nil, "")
	byCenter(t, head, http.StatusOK)
}

func forwardsRedirects(t *testing.T, f *forwarding) {
	for _, to := range []string{"http://169.254.169.254/latest/meta-data/", "http://127.0.0.1:1/", "//evil.example/", "/base/elsewhere", "file:///etc/passwd"} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			path := f.center.answer(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", to)
				w.WriteHeader(status)
			})
			r := f.send(t, http.MethodPost, path, nil, "x")
			byCenter(t, r, status)
			want(t, "Location", r.header.Get("Location"), to)
		}
	}
}

func forwardsNoInterim(t *testing.T, f *forwarding) {
	path := f.center.answer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.Header().Set("Set-Cookie", "a=b")
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusProcessing)
		w.Header().Del("Set-Cookie")
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "done")
	})
	r := f.raw(t, "GET "+path+" HTTP/1.1", nil, "")
	byCenter(t, r, http.StatusAccepted)
	want(t, "the body", string(r.body), "done")
	if r.header.Get("X-Request-Id") == "" || r.header.Get("X-Content-Type-Options") == "" {
		t.Errorf("the answer has the headers %v", r.header)
	}
	// A caller who waits to be told to go on is.
	path, next := f.center.record(t)
	byCenter(t, f.send(t, http.MethodPost, path, http.Header{"Expect": {"100-continue"}}, "body"), http.StatusOK)
	want(t, "the body", next().body, "body")
}

func forwardsEvents(t *testing.T, f *forwarding) {
	for kind, length := range map[string]string{"text/event-stream": "", "application/x-ndjson": "", "text/plain": "16"} {
		read := make(chan struct{})
		path := f.center.answer(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			if length != "" {
				w.Header().Set("Content-Length", length)
			}
			_ = http.NewResponseController(w).Flush()
			for _, event := range []string{"first\n\n", "second\n\n"} {
				select {
				case <-read:
				case <-r.Context().Done():
					return
				}
				_, _ = io.WriteString(w, event)
				_ = http.NewResponseController(w).Flush()
			}
			<-read
			if length != "" {
				_, _ = io.WriteString(w, "x")
			}
		})
		// Each comes while the event center holds the answer open, the header before the first.
		resp := f.begin(t, http.MethodGet, path, nil, nil)
		lines := bufio.NewReader(resp.Body)
		for _, event := range []string{"first\n", "second\n"} {
			read <- struct{}{}
			line, err := lines.ReadString('\n')
			want(t, kind, line, event)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = lines.ReadString('\n')
		}
		read <- struct{}{}
		if rest, err := io.ReadAll(lines); err != nil || length != "" && string(rest) != "x" {
			t.Errorf("%s: the rest is %q, %v", kind, rest, err)
		}
	}
}

func forwardsEarlyAnswers(t *testing.T, f *forwarding) {
	answer := strings.Repeat("all of a long answer\n", 20_000)
	path := f.center.answer(t, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		_, _ = io.WriteString(w, answer[:21])
		_ = http.NewResponseController(w).Flush()
		body := contentOf(r.Body)
		_, _ = io.WriteString(w, answer[21:]+strconv.Itoa(len(body)))
	})
	body, out := io.Pipe()
	resp := f.begin(t, http.MethodPost, path, nil, body)
	// The answer is there, and the request goes on.
	if _, err := io.WriteString(out, "the body"); err != nil {
		t.Fatal(err)
	}
	_ = out.Close()
	if got := contentOf(resp.Body); got != answer+"8" {
		t.Errorf("there came %d bytes of %d, at the end %q", len(got), len(answer)+1, got[max(0, len(got)-10):])
	}
}

func forwardsLeaving(t *testing.T, f *forwarding) {
	left, begun := make(chan struct{}), make(chan struct{})
	for name, start := range map[string]bool{"before the answer": false, "within the answer": true} {
		path := f.center.answer(t, func(w http.ResponseWriter, r *http.Request) {
			if start {
				_ = http.NewResponseController(w).Flush()
			}
			begun <- struct{}{}
			<-r.Context().Done()
			left <- struct{}{}
		})
		conn, host := f.connect(t)
		if _, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: "+host+"\r\nAuthorization: "+f.bearer+"\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		soon(t, name+": the call", begun)
		_ = conn.Close()
		soon(t, name+": the end of the call", left)
	}
}

func forwardsCuts(t *testing.T, f *forwarding) {
	for name, answer := range map[string]string{
		"with a length":  "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this",
		"in chunks":      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nonly this\r\n",
		"within a chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nonly this",
		"no chunk":       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nonly this\r\nzz\r\n",
	} {
		path := f.center.bytes(t, answer)
		resp := f.begin(t, http.MethodGet, path, nil, nil)
		body, err := io.ReadAll(resp.Body)
		if !errors.Is(err, io.ErrUnexpectedEOF) || string(body) != "only this" {
			t.Errorf("%s: there came %q, %v", name, body, err)
		}
	}
}

// bytes has the stand-in answer with bytes and close the connection.
func (c *EventCenter) bytes(t *testing.T, answer string) (path string) {
	t.Helper()
	return c.answer(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, answer)
		_ = conn.Close()
	})
}
