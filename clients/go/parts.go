package hub

import "google.golang.org/protobuf/encoding/protowire"

// maxMessage bounds a request in bytes; every hub takes 64 KiB more.
const maxMessage = 4 << 20

// fitting is how many entries of a list go into one request: most at most, and no more than room bytes; but one in
// any case, of which Hub says itself that it is too large.
func fitting[E any](list []E, most, room int, size func(E) int) int {
	n := 0
	for n < min(len(list), most) {
		// An entry has a tag of one byte and its length before it.
		if room -= 1 + protowire.SizeBytes(size(list[n])); room < 0 && n > 0 {
			break
		}
		n++
	}
	return n
}
