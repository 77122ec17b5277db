package file

import (
	"bufio"
	"encoding/binary"
	"errors"
)

// The markers of a JPEG that decide something (ITU-T T.81, table B.1).
const (
	startOfImage = 0xd8
	endOfImage   = 0xd9
	startOfScan  = 0xda
)

// jpeg follows the markers (ITU-T T.81, annex B): segments with a length, and behind the header of a scan its
// data, up to the end of the image.
func (s *source) jpeg() {
	s.skip(2)
	framed, scanned := false, false
	for marker := s.marker(); s.err == nil; {
		switch {
		case marker == endOfImage:
			if !scanned {
				s.broken()
			}
			return
		case marker == startOfScan && framed:
			s.segment(0)
			scanned = true
			marker = s.scan()
			continue
		case marker >= 0xc0 && marker <= 0xc2 && !framed: // baseline, extended and progressive: what browsers show
			s.jpegFrame()
			framed = true
		case marker == 0xc4, marker >= 0xdb && marker <= 0xdd, marker >= 0xe0 && marker <= 0xef, marker == 0xfe:
			s.segment(0)
		default:
			s.broken()
		}
		marker = s.marker()
	}
}

// marker reads the next marker, before which there may be fill bytes.
func (s *source) marker() byte {
	if s.take(1)[0] != 0xff {
		s.broken()
	}
	for s.err == nil {
		if code := s.take(1)[0]; code != 0xff {
			return code
		}
	}
	return 0
}

// segment passes over the rest of a segment of which n bytes are read, its length not among them.
func (s *source) segment(n int64) {
	s.skip(int64(binary.BigEndian.Uint16(s.take(2))) - 2 - n)
}

// jpegFrame reads the header of a frame.
func (s *source) jpegFrame() {
	head := s.take(7)
	s.pixels(uint32(binary.BigEndian.Uint16(head[5:])), uint32(binary.BigEndian.Uint16(head[3:])))
	s.skip(int64(binary.BigEndian.Uint16(head)) - 7)
}

// scan passes over the data of a scan, and gives the marker behind it.
func (s *source) scan() byte {
	for s.err == nil {
		part, err := s.in.ReadSlice(0xff)
		if _, failed := s.out.Write(part); failed != nil {
			err = failed
		}
		if err != nil {
			if !errors.Is(err, bufio.ErrBufferFull) {
				s.note(err)
			}
			continue
		}
		code := s.take(1)[0]
		for code == 0xff {
			code = s.take(1)[0]
		}
		if code != 0 && (code < 0xd0 || code >= startOfImage) {
			return code
		}
	}
	return 0
}
