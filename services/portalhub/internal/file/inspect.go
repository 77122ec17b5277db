package file

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"

	"example.com/hub/pkg/fault"
)

// maxPixels is the most that a picture may have, since whoever shows one keeps all of them in memory.
const maxPixels = 50_000_000

const (
	// peeked is how many bytes tell a type.
	peeked = 12
	// buffered is the size in bytes of what is read and written at once.
	buffered = 32 << 10
)

// inspect reads a file to its end, tells what it is by its bytes alone and copies it to w. Of a picture it follows the
// container from the first byte to the last, so that nothing else can follow it: what phones put behind the end of a
// JPEG, a video or a brighter picture, is left out, and other pictures that go on are refused. It keeps only small
// buffers. Errors are those of r and w, and faults of the field type for bytes that are nothing that Hub keeps.
func inspect(w io.Writer, r io.Reader) (Type, error) {
	in, out := bufio.NewReaderSize(r, buffered), bufio.NewWriterSize(w, buffered)
	head, err := in.Peek(peeked)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	s := &source{in: in, out: out, r: io.TeeReader(in, out), kind: typeOf(head)}
	switch s.kind {
	case PNG:
		s.png()
	case GIF:
		s.gif()
	case WebP:
		s.webp()
	case JPEG:
		s.jpeg()
	case PDF:
		_, s.err = io.Copy(io.Discard, s.r)
	default:
		return 0, fault.Field("type", "the file is no PNG, GIF, WebP, JPEG or PDF")
	}
	s.end()
	return s.kind, s.err
}

func typeOf(head []byte) Type {
	has := func(text string) bool { return bytes.HasPrefix(head, []byte(text)) }
	switch {
	case has("\x89PNG\r\n\x1a\n"):
		return PNG
	case has("GIF87a"), has("GIF89a"):
		return GIF
	case has("RIFF") && len(head) == peeked && string(head[8:]) == "WEBP":
		return WebP
	case has("\xff\xd8\xff"):
		return JPEG
	case has("%PDF-"):
		return PDF
	default:
		return 0
	}
}

// source reads the parts of a container. After its first error it reads nothing, and gives zeros.
type source struct {
	in  *bufio.Reader
	out *bufio.Writer
	// r reads from in what out gets.
	r    io.Reader
	kind Type
	err  error
	part [16]byte
}

// take gives the next n bytes, at most 16. They are good until the next call.
func (s *source) take(n int) []byte {
	part := s.part[:n]
	clear(part)
	if s.err == nil {
		_, err := io.ReadFull(s.r, part)
		s.note(err)
	}
	if s.err != nil {
		clear(part)
	}
	return part
}

// skip passes over n bytes; a container that wants fewer than none is broken.
func (s *source) skip(n int64) {
	if n < 0 {
		s.broken()
	}
	if s.err == nil {
		_, err := io.CopyN(io.Discard, s.r, n)
		s.note(err)
	}
}

// note keeps an error of reading. An end in the middle of a container is the file's fault.
func (s *source) note(err error) {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		s.broken()
	case err != nil:
		s.err = err
	}
}

// broken refuses a file that is no whole container.
func (s *source) broken() { s.fail("the file is no whole " + s.kind.String()) }

func (s *source) fail(public string) {
	if s.err == nil {
		s.err = fault.Field("type", public)
	}
}

// pixels checks the size of a picture.
func (s *source) pixels(width, height uint32) {
	if n := uint64(width) * uint64(height); s.err == nil && (n < 1 || n > maxPixels) {
		s.fail("the " + s.kind.String() + " must have 1 to 50000000 pixels")
	}
}

// end wants the file to end here, or leaves out the rest.
func (s *source) end() {
	if s.err != nil {
		return
	}
	most := int64(1)
	if s.kind == JPEG {
		most = math.MaxInt64
	}
	switch _, err := io.CopyN(io.Discard, s.in, most); {
	case err == nil:
		s.fail("the file goes on after the end of the " + s.kind.String())
	case errors.Is(err, io.EOF):
		s.err = s.out.Flush()
	default:
		s.err = err
	}
}
