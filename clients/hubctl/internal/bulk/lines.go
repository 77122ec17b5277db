package bulk

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"unicode/utf8"
)

// line is one line of the input that is not blank.
type line struct {
	// number counts from 1.
	number int64
	// text is what Hub gets, or the beginning of what it cannot get.
	text []byte
	// fault says why Hub need not be asked; empty for a line that it must judge.
	fault string
	// last is where the line ends.
	last place
}

// place is how far the input was read.
type place struct {
	offset int64 // bytes
	lines  int64
	sum    string // SHA-256 of these bytes in hex
}

// lines reads the input line by line.
type lines struct {
	in  *bufio.Reader
	sum hash.Hash
	at  place
	// longest is the largest line in bytes that Hub can get.
	longest int
}

func newLines(in io.Reader, longest int) *lines {
	return &lines{in: bufio.NewReaderSize(in, 256<<10), sum: sha256.New(), longest: longest}
}

// errChanged says that the input does not begin as it did.
var errChanged = errors.New("the input is not what it was when its checkpoint was made")

// skip reads up to a place of an earlier run.
func (l *lines) skip(to place) error {
	if n, err := io.CopyN(l.sum, l.in, to.offset); err != nil {
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%w: it ends after %d of %d bytes", errChanged, n, to.offset)
		}
		return err
	}
	if hex.EncodeToString(l.sum.Sum(nil)) != to.sum {
		return errChanged
	}
	l.at = to
	return nil
}

// next gives the next line that is not blank; io.EOF at the end.
func (l *lines) next() (line, error) {
	for {
		text, err := l.read()
		if err != nil {
			return line{}, err
		}
		fault := ""
		if len(text) > l.longest {
			text, fault = text[:100], fmt.Sprintf("the line has more than %d bytes", l.longest)
		}
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		if fault == "" && (text[0] != '{' || !json.Valid(text) || !utf8.Valid(text)) {
			fault = "the line is no JSON object"
		}
		return line{number: l.at.lines, text: text, fault: fault, last: l.place()}, nil
	}
}

// read gives one line, and of a line that is too long a little more than the longest.
func (l *lines) read() ([]byte, error) {
	var text []byte
	began := l.at.offset
	for {
		part, err := l.in.ReadSlice('\n')
		l.sum.Write(part)
		l.at.offset += int64(len(part))
		if room := l.longest + 2 - len(text); room > 0 {
			text = append(text, part[:min(room, len(part))]...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case l.at.offset == began:
			return nil, io.EOF
		}
		l.at.lines++
		return bytes.TrimSuffix(text, []byte("\n")), nil
	}
}

// place is where the line that was read last ends.
func (l *lines) place() place {
	at := l.at
	at.sum = hex.EncodeToString(l.sum.Sum(nil))
	return at
}
