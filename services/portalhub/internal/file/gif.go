package file

import "encoding/binary"

// gif follows the blocks (GIF89a, appendix B): the screen, then extensions and pictures, up to the trailer.
func (s *source) gif() {
	s.skip(6)
	screen := s.take(7)
	s.pixels(word(screen), word(screen[2:]))
	s.colours(screen[4])
	for shown := false; s.err == nil; {
		switch s.take(1)[0] {
		case 0x21:
			s.skip(1)
			s.blocks()
		case 0x2c:
			s.gifPicture()
			shown = true
		case 0x3b:
			if !shown {
				s.broken()
			}
			return
		default:
			s.broken()
		}
	}
}

// gifPicture reads a picture. One may reach over the screen, which browsers then enlarge.
func (s *source) gifPicture() {
	place := s.take(9)
	left, top, width, height := word(place), word(place[2:]), word(place[4:]), word(place[6:])
	s.pixels(width, height)
	s.pixels(left+width, top+height)
	s.colours(place[8])
	s.skip(1)
	s.blocks()
}

// colours passes over a table of colours, of which the flags before it tell.
func (s *source) colours(flags byte) {
	if flags&0x80 != 0 {
		s.skip(3 << (flags&7 + 1))
	}
}

// blocks passes over blocks that have their length in front, up to an empty one.
func (s *source) blocks() {
	for n := s.take(1)[0]; n > 0; n = s.take(1)[0] {
		s.skip(int64(n))
	}
}

func word(b []byte) uint32 { return uint32(binary.LittleEndian.Uint16(b)) }
