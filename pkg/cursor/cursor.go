// Package cursor makes and reads the page tokens of lists: where a page ended, so that the next one begins
// behind it however much was stored meanwhile.
//
// A token is for the hub that made it alone. It is neither secret nor signed: it opens nothing that its
// caller may not list.
package cursor

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/hub/pkg/fault"
)

const (
	// Prefix begins every token and is its version.
	Prefix = "c1."
	// MaxLength is the longest token that is read, in bytes.
	MaxLength = 2 << 10
)

// ErrInvalid is the refusal of a token that is not of the list, or of none.
var ErrInvalid error = fault.Field("page_token", "cursor is not valid for this list")

// List says in a fixed order what a token belongs to: the list's name, its sort and every filter.
type List []string

// Key is the place of an entry in its list.
type Key struct {
	// At is the entry's value of a sort by time, in microseconds and of the years 1 to 9999; zero where
	// the id is all that counts.
	At time.Time
	// ID is the entry's id.
	ID string
}

// A token is Prefix and, in base64url, the sum, the microseconds since 1970 and the id. The sum is taken
// of the list and of the key, so that one comparison tells a token of another list and one that was
// changed or cut.
const (
	sumLength = 8
	idStart   = sumLength + 8
)

// Token gives the token of the page behind a key.
func (l List) Token(k Key) string {
	raw := make([]byte, sumLength, idStart+len(k.ID))
	raw = binary.BigEndian.AppendUint64(raw, uint64(k.At.UnixMicro()))
	raw = append(raw, k.ID...)
	sum := l.sum(raw[sumLength:])
	copy(raw, sum[:])
	return Prefix + base64.RawURLEncoding.EncodeToString(raw)
}

// Key reads a token of this list. The error is ErrInvalid; what the id may hold is the caller's to check,
// who can only be sure of UTF-8.
func (l List) Key(token string) (Key, error) {
	text, ok := strings.CutPrefix(token, Prefix)
	if !ok || len(token) > MaxLength {
		return Key{}, ErrInvalid
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	// The decoder passes over line ends and spare bits, so a text is compared with what it should be.
	if err != nil || len(raw) < idStart || base64.RawURLEncoding.EncodeToString(raw) != text {
		return Key{}, ErrInvalid
	}
	if sum := l.sum(raw[sumLength:]); string(raw[:sumLength]) != string(sum[:]) {
		return Key{}, ErrInvalid
	}
	k := Key{
		At: time.UnixMicro(int64(binary.BigEndian.Uint64(raw[sumLength:idStart]))).UTC(),
		ID: string(raw[idStart:]),
	}
	if y := k.At.Year(); y < 1 || y > 9999 || !utf8.ValidString(k.ID) {
		return Key{}, ErrInvalid
	}
	return k, nil
}

// sum is of the parts of the list, each behind its length, and of the key.
func (l List) sum(key []byte) (short [sumLength]byte) {
	text := []byte(Prefix)
	for _, part := range l {
		text = binary.AppendUvarint(text, uint64(len(part)))
		text = append(text, part...)
	}
	whole := sha256.Sum256(append(text, key...))
	copy(short[:], whole[:])
	return short
}
