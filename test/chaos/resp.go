package chaos

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// losing copies what Redis answers, without those published messages that lose chooses by their
// channel.
func losing(lose func(channel string) bool) func(to io.Writer, from io.Reader) error {
	return func(to io.Writer, from io.Reader) error {
		answers := bufio.NewReader(from)
		for {
			answer, err := readReply(nil, answers)
			if err != nil {
				return err
			}
			if channel, ok := publishedOn(answer); ok && lose(channel) {
				continue
			}
			if _, err := to.Write(answer); err != nil {
				return err
			}
		}
	}
}

// readReply appends one reply of Redis (RESP 2) to dst.
func readReply(dst []byte, from *bufio.Reader) ([]byte, error) {
	line, err := from.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	kind, count := line[0], strings.TrimSpace(string(line[1:]))
	dst = append(dst, line...)
	if kind != '$' && kind != '*' {
		return dst, nil
	}
	n, err := strconv.Atoi(count)
	if err != nil {
		return nil, fmt.Errorf("a reply of length %q: %w", count, err)
	}
	if kind == '*' {
		for range n {
			if dst, err = readReply(dst, from); err != nil {
				return nil, err
			}
		}
		return dst, nil
	}
	if n < 0 {
		return dst, nil
	}
	at := len(dst)
	dst = append(dst, make([]byte, n+len("\r\n"))...)
	_, err = io.ReadFull(from, dst[at:])
	return dst, err
}

// publishedOn gives the channel of a reply that is a published message.
func publishedOn(reply []byte) (channel string, ok bool) {
	rest, ok := bytes.CutPrefix(reply, []byte("*3\r\n$7\r\nmessage\r\n$"))
	if !ok {
		return "", false
	}
	_, rest, _ = bytes.Cut(rest, []byte("\r\n"))
	name, _, ok := bytes.Cut(rest, []byte("\r\n"))
	return string(name), ok
}
