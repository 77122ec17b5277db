package stream

import "bytes"

const (
	// chunkRoom is the length of the longest header of a chunk: eight digits, CR and LF.
	chunkRoom = 10
	// lastChunk ends a body. A client that does not get it knows that the stream was cut off.
	lastChunk = "0\r\n\r\n"
)

// chunk is memory for one chunk at a time (RFC 9112, section 7.1). Its text is written where it stays,
// behind room for the header, so that a frame is encoded once for every client that gets it.
type chunk struct{ buf []byte }

// begin gives memory to append the text to. The chunk that was made before is gone.
func (c *chunk) begin() []byte { return append(c.buf[:0], make([]byte, chunkRoom)...) }

// end gives the chunk of what was appended to begin's memory, which must not be empty.
func (c *chunk) end(text []byte) []byte {
	size, at := len(text)-chunkRoom, chunkRoom-2
	text = append(text, "\r\n"...)
	copy(text[at:], "\r\n")
	for ; size > 0; size >>= 4 {
		at--
		text[at] = hex[size&0xf]
	}
	c.buf = text
	return text[at:]
}

// textOf gives the text of a chunk.
func textOf(chunk []byte) []byte {
	return chunk[bytes.IndexByte(chunk, '\n')+1 : len(chunk)-len("\r\n")]
}
