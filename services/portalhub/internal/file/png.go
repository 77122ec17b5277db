package file

import "encoding/binary"

// png follows the chunks (PNG, Third Edition, section 5): a length, a type, data and a checksum each, from IHDR
// to IEND.
func (s *source) png() {
	s.skip(8)
	s.pngHeader()
	for data := false; s.err == nil; {
		head := s.take(8)
		length, kind := binary.BigEndian.Uint32(head), string(head[4:])
		switch {
		case kind == "IEND" && length == 0 && data:
			s.skip(4)
			return
		case kind == "IEND", kind == "IHDR", length > 1<<31-1, !letters(kind):
			s.broken()
		}
		data = data || kind == "IDAT"
		s.skip(int64(length) + 4)
	}
}

func (s *source) pngHeader() {
	if head := s.take(8); string(head) != "\x00\x00\x00\x0dIHDR" {
		s.broken()
	}
	size := s.take(8)
	s.pixels(binary.BigEndian.Uint32(size), binary.BigEndian.Uint32(size[4:]))
	s.skip(5 + 4)
}

// letters tells whether a type of chunks is one.
func letters(kind string) bool {
	for _, c := range []byte(kind) {
		if c |= 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}
