// Package sse writes what an event stream says (contract, Events; WHATWG HTML, section 9.2), and is the
// only one that does.
package sse

import (
	"time"

	"example.com/hub/pkg/bus"
)

// Format is how a client takes frames.
type Format uint8

const (
	// Chunked is for HTTP/1.1: each frame is one chunk (RFC 9112, section 7.1), and a stream that ends in
	// order has a last one.
	Chunked Format = iota
	// Bare is for HTTP/1.0, which has no chunks: the body ends with the connection.
	Bare
)

const (
	// maxChunkHeader is the length of the longest header of a chunk: eight digits, CR and LF.
	maxChunkHeader = 10
	// lastChunk ends a body. A client that does not get it knows that the stream was cut off.
	lastChunk = "0\r\n\r\n"
)

// Frame is memory for one frame at a time, which is written once for all clients, in every Format. The
// zero Frame is ready for use.
type Frame struct {
	buf   []byte
	chunk int // where the chunk begins
	text  int // where the text ends, which begins behind maxChunkHeader
}

// In gives the frame in a format. It holds until the next frame is written.
func (f *Frame) In(format Format) []byte {
	if format == Bare {
		return f.buf[maxChunkHeader:f.text]
	}
	return f.buf[f.chunk:]
}

// begin gives memory to append the text to. The frame that was there before is gone.
func (f *Frame) begin() []byte { return append(f.buf[:0], make([]byte, maxChunkHeader)...) }

// end makes a chunk of what was appended to begin's memory, which must not be empty. The text stays where
// it is, behind the header.
func (f *Frame) end(text []byte) {
	f.text = len(text)
	size, at := len(text)-maxChunkHeader, maxChunkHeader-2
	text = append(text, "\r\n"...)
	copy(text[at:], "\r\n")
	for ; size > 0; size >>= 4 {
		at--
		text[at] = "0123456789abcdef"[size&0xf]
	}
	f.buf, f.chunk = text, at
}

// Event writes an event that streams show; see AppendEvent.
func (f *Frame) Event(e *bus.Event) (clean bool) {
	text, clean := AppendEvent(f.begin(), e)
	f.end(text)
	return clean
}

// Events writes what add appends, which are events, and tells whether that is anything.
func (f *Frame) Events(add func(dst []byte) []byte) (some bool) {
	text := add(f.begin())
	if len(text) == maxChunkHeader {
		return false
	}
	f.end(text)
	return true
}

// Heartbeat writes a heartbeat, which has no "id:" line, so that clients keep their last event id.
func (f *Frame) Heartbeat(now time.Time) { f.end(appendHeartbeat(f.begin(), now)) }

// Retry writes how long clients wait before they connect again. It holds at once, and belongs to the event
// that follows: with a blank line behind it, or at the end of a stream, it would be an event without data
// to some parsers.
func (f *Frame) Retry(wait time.Duration) { f.end(appendRetry(f.begin(), wait)) }

// Farewell writes the end of a stream: a heartbeat that tells when to come back, and the last chunk.
func (f *Frame) Farewell(wait time.Duration, now time.Time) {
	f.end(appendHeartbeat(appendRetry(f.begin(), wait), now))
	f.buf = append(f.buf, lastChunk...)
}
