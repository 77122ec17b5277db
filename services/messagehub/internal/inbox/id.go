package inbox

import (
	"math"
	"strconv"
	"strings"
)

// RecordID makes the public id of an inbox record from the body that it shows and its place among
// the records of that body. No two records have the same pair, so the id is unique without an index
// of its own. Both numbers must be at least 0.
//
// Each number is written in base 36 behind one digit that counts its digits, and zero is "0". So a
// number ends where its count says, and two different pairs never give the same string; ids compare
// byte by byte as the pairs do; and every character is a digit or a small letter, which needs no
// escape in a URL or an event stream. The pair (71, 5) is "21z15".
func RecordID(body, ordinal int64) string {
	// An int64 has at most 13 digits in base 36.
	var buf [28]byte
	return string(appendCounted(appendCounted(buf[:0], body), ordinal))
}

// ParseRecordID gives the pair of an id that RecordID made. It is false for any other text, and for an
// ordinal that no record can have.
func ParseRecordID(id string) (body, ordinal int64, ok bool) {
	body, rest := cutCounted(id)
	ordinal, _ = cutCounted(rest)
	ok = body >= 0 && ordinal >= 0 && ordinal <= math.MaxInt32 && RecordID(body, ordinal) == id
	return body, ordinal, ok
}

// cutCounted gives what appendCounted may have made of the beginning of a text, and what follows it; -1
// when it made none of it.
func cutCounted(text string) (n int64, rest string) {
	if text == "" {
		return -1, ""
	}
	digits, err := strconv.ParseInt(text[:1], 36, 64)
	if err != nil || digits > int64(len(text)-1) {
		return -1, ""
	}
	if digits == 0 {
		return 0, text[1:]
	}
	if n, err = strconv.ParseInt(text[1:1+digits], 36, 64); err != nil {
		return -1, ""
	}
	return n, text[1+digits:]
}

// CreatedFor gives the records of a body that has one for each target, in their order. Their ids share
// one piece of memory, since there may be many.
func CreatedFor(targets []string, body int64) []Created {
	var buf [14]byte
	head := string(appendCounted(buf[:0], body))
	var ids strings.Builder
	ids.Grow(len(targets) * (len(head) + len(appendCounted(buf[:0], int64(len(targets))))))
	created := make([]Created, len(targets))
	for i, username := range targets {
		start := ids.Len()
		ids.WriteString(head)
		ids.Write(appendCounted(buf[:0], int64(i)))
		created[i] = Created{Username: username, ID: ids.String()[start:]}
	}
	return created
}

func appendCounted(b []byte, n int64) []byte {
	if n == 0 {
		return append(b, '0')
	}
	var buf [13]byte
	digits := strconv.AppendInt(buf[:0], n, 36)
	b = strconv.AppendInt(b, int64(len(digits)), 36)
	return append(b, digits...)
}
