// Package load calls an HTTP server from many connections, each with one request at a time. Its client
// does as little as it can, since it shares the processors with the server: requests are written as
// they are, and of an answer only the status and the length are looked at.
package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"example.com/hub/test/bench/internal/measure"
)

// Conn is one keep-alive connection.
type Conn struct {
	net.Conn
	in    *bufio.Reader
	watch func() bool
}

// Dial connects. The end of ctx ends the connection, too, so that no call hangs on a server that does.
func Dial(ctx context.Context, addr string) (*Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	watch := context.AfterFunc(ctx, func() { _ = c.Close() })
	return &Conn{c, bufio.NewReaderSize(c, 32<<10), watch}, nil
}

// Close closes the connection.
func (c *Conn) Close() error {
	c.watch()
	return c.Conn.Close()
}

// Do sends a whole request and reads the answer, whose body is given when it is wanted. An answer
// other than 200 and 304 is an error.
func (c *Conn) Do(request []byte, want bool) (body []byte, err error) {
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	status, length, err := c.header()
	if err != nil {
		return nil, err
	}
	if status == "304" {
		return nil, nil
	}
	if !want && status == "200" {
		_, err := c.in.Discard(length)
		return nil, err
	}
	body = make([]byte, length)
	if _, err := io.ReadFull(c.in, body); err != nil {
		return nil, err
	}
	if status != "200" {
		return nil, fmt.Errorf("the server answered %s: %s", status, body)
	}
	return body, nil
}

var contentLength = []byte("content-length:")

func (c *Conn) header() (status string, length int, err error) {
	length = -1
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return "", 0, fmt.Errorf("read an answer: %w", err)
		}
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case status == "":
			parts := bytes.SplitN(line, []byte(" "), 3)
			if len(parts) < 2 {
				return "", 0, fmt.Errorf("the server answered %q", line)
			}
			status = string(parts[1])
		case len(line) == 0:
			if length < 0 && status != "304" {
				return "", 0, errors.New("the answer has no length")
			}
			return status, length, nil
		case len(line) > len(contentLength) && bytes.EqualFold(line[:len(contentLength)], contentLength):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(contentLength):]))); err != nil {
				return "", 0, err
			}
		}
	}
}

// Result is what a run found.
type Result struct {
	// Requests were answered in Took.
	Requests int
	Took     time.Duration
	// Latencies are the milliseconds of each.
	Latencies measure.Samples
}

// Rate is the number of requests per second.
func (r Result) Rate() float64 { return float64(r.Requests) / r.Took.Seconds() }

// Act is one request of a worker. It is called again and again, with the worker's number, and the
// worker's own buffer to build the request in.
type Act func(worker int, buf []byte) []byte

// Run lets the connections send requests to addr for d.
func Run(ctx context.Context, addr string, connections int, d time.Duration, act Act) (Result, error) {
	return Workers(ctx, connections, d, func(ctx context.Context, worker int, until time.Time) (measure.Samples, error) {
		c, err := Dial(ctx, addr)
		if err != nil {
			return nil, err
		}
		defer func() { _ = c.Close() }()
		var buf []byte
		var took measure.Samples
		for began := time.Now(); began.Before(until); {
			buf = act(worker, buf[:0])
			if _, err := c.Do(buf, false); err != nil {
				return nil, err
			}
			now := time.Now()
			took = append(took, now.Sub(began).Seconds()*1000)
			began = now
		}
		return took, nil
	})
}

// Workers runs n workers until the time that they get, and joins what they measured.
func Workers(ctx context.Context, n int, d time.Duration,
	work func(ctx context.Context, worker int, until time.Time) (measure.Samples, error),
) (Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	took := make([]measure.Samples, n)
	began := time.Now()
	until := began.Add(d)
	var all sync.WaitGroup
	for worker := range n {
		all.Go(func() {
			var err error
			if took[worker], err = work(ctx, worker, until); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	r := Result{Took: time.Since(began)}
	for _, t := range took {
		r.Requests += len(t)
		r.Latencies = append(r.Latencies, t...)
	}
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	return r, nil
}

// Get appends a GET request.
func Get(buf []byte, target, token string) []byte {
	buf = append(append(append(buf, "GET "...), target...), " HTTP/1.1\r\nHost: localhost\r\n"...)
	return append(authorize(buf, token), "\r\n"...)
}

// Post appends a POST request with a JSON body.
func Post(buf []byte, target, token string, body []byte) []byte {
	buf = append(append(append(buf, "POST "...), target...), " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "...)
	buf = append(strconv.AppendInt(buf, int64(len(body)), 10), "\r\n"...)
	return append(append(authorize(buf, token), "\r\n"...), body...)
}

func authorize(buf []byte, token string) []byte {
	if token == "" {
		return buf
	}
	return append(append(append(buf, "Authorization: Bearer "...), token...), "\r\n"...)
}
