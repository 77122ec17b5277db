package rest

import "strings"

const (
	// maxPath bytes of a path are logged, and maxMethod of a method.
	maxPath   = 200
	maxMethod = 16
	// maxSegment is more bytes than a segment of any route has. Of a longer one the first keptSegment are logged.
	maxSegment  = 32
	keptSegment = 8
)

// pathShown is the path of a request without a route, for the log. It is percent-encoded, and so has no
// control characters. What may be a token in the wrong place is left out: what follows an equals sign,
// and most of a long segment.
func pathShown(encoded string) string {
	segments := strings.Split(encoded, "/")
	for i, segment := range segments {
		if n := equalsSign(segment); n >= 0 {
			segment = segment[:n] + "=..."
		} else if len(segment) > maxSegment {
			segment = segment[:keptSegment] + "..."
		}
		segments[i] = segment
	}
	shown := strings.Join(segments, "/")
	if len(shown) > maxPath {
		shown = shown[:maxPath] + "..."
	}
	return shown
}

// equalsSign finds the first equals sign, encoded or not, or -1.
func equalsSign(segment string) int {
	plain, encoded := strings.IndexByte(segment, '='), strings.Index(strings.ToUpper(segment), "%3D")
	if plain < 0 || encoded >= 0 && encoded < plain {
		return encoded
	}
	return plain
}
