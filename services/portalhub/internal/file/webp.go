package file

import "encoding/binary"

// webp follows the chunks (RFC 9649, section 2): a type, a length and padded data each, inside of a RIFF chunk
// that holds the whole file.
func (s *source) webp() {
	head := s.take(12)
	if !s.webpChunks(int64(binary.LittleEndian.Uint32(head[4:]))-4, false) {
		s.broken()
	}
}

// webpChunks reads the chunks that n bytes hold, of the file or of one frame of an animation, and tells whether
// there is a picture among them.
func (s *source) webpChunks(n int64, inFrame bool) (shown bool) {
	for n > 0 && s.err == nil {
		head := s.take(8)
		size := int64(binary.LittleEndian.Uint32(head[4:]))
		size += size & 1
		if n -= 8 + size; n < 0 {
			s.broken()
		}
		switch kind := string(head[:4]); {
		case kind == "VP8 ":
			s.lossy(size)
			shown = true
		case kind == "VP8L":
			s.lossless(size)
			shown = true
		case kind == "VP8X" && !inFrame:
			canvas := s.take(10)
			s.pixels(triple(canvas[4:])+1, triple(canvas[7:])+1)
			s.skip(size - 10)
		case kind == "ANMF" && !inFrame && size >= 16:
			frame := s.take(16)
			s.pixels(2*triple(frame)+triple(frame[6:])+1, 2*triple(frame[3:])+triple(frame[9:])+1)
			shown = s.webpChunks(size-16, true) || shown
		case kind == "VP8X", kind == "ANMF":
			s.broken()
		default:
			s.skip(size)
		}
	}
	return shown && n == 0
}

// lossy reads the header of a key frame (RFC 6386, section 9.1).
func (s *source) lossy(size int64) {
	head := s.take(10)
	if head[0]&1 != 0 || string(head[3:6]) != "\x9d\x01\x2a" {
		s.broken()
	}
	s.pixels(word(head[6:])&0x3fff, word(head[8:])&0x3fff)
	s.skip(size - 10)
}

// lossless reads the header of a picture (RFC 9649, section 3.4).
func (s *source) lossless(size int64) {
	head := s.take(5)
	if head[0] != 0x2f {
		s.broken()
	}
	bits := binary.LittleEndian.Uint32(head[1:])
	s.pixels(bits&0x3fff+1, bits>>14&0x3fff+1)
	s.skip(size - 5)
}

// triple is a number of three bytes.
func triple(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }
