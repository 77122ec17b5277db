package cursor_test

import (
	"encoding/base64"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/fault"
)

var list = cursor.List{"todos", "1", "amy", "2"}

func TestTokenIsReadAsItWasMade(t *testing.T) {
	for name, k := range map[string]cursor.Key{
		"usual":         {At: time.Date(2026, 3, 4, 5, 6, 7, 123_456_000, time.UTC), ID: "travel-1"},
		"no time":       {ID: "travel-1"},
		"before 1970":   {At: time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), ID: "a"},
		"the last year": {At: time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC), ID: "a"},
		"the longest id": {
			At: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), ID: strings.Repeat("\U0001f989", 255),
		},
	} {
		t.Run(name, func(t *testing.T) {
			token := list.Token(k)
			if !strings.HasPrefix(token, cursor.Prefix) || len(token) > cursor.MaxLength {
				t.Errorf("token %q of %d bytes", token, len(token))
			}
			got, err := list.Key(token)
			if err != nil || !got.At.Equal(k.At) || got.ID != k.ID {
				t.Errorf("got %+v, %v, want %+v", got, err, k)
			}
		})
	}
}

func TestOtherTokensAreRefused(t *testing.T) {
	key := cursor.Key{At: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), ID: "travel-1"}
	good := list.Token(key)
	// The last character of this one has spare bits.
	spare := list.Token(cursor.Key{At: key.At, ID: "travel-12"})
	if len(spare)%4 == len(good)%4 {
		t.Fatal("the two tokens end in the same way")
	}
	bad := map[string]string{
		"empty":                "",
		"no prefix":            strings.TrimPrefix(good, cursor.Prefix),
		"the prefix alone":     cursor.Prefix,
		"another version":      "c2." + strings.TrimPrefix(good, cursor.Prefix),
		"another case":         strings.ToUpper(good[:1]) + good[1:],
		"padded":               good + "=",
		"with a line end":      good + "\n",
		"with a line end in":   good[:9] + "\r\n" + good[9:],
		"of plain base64":      cursor.Prefix + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\xff", 32))),
		"zeros":                cursor.Prefix + strings.Repeat("A", 40),
		"two":                  good + good,
		"no UTF-8 in the text": cursor.Prefix + "\xff\xfe",
		"NUL in the text":      good + "\x00",
		"too long":             cursor.Prefix + strings.Repeat("A", cursor.MaxLength-len(cursor.Prefix)+1),
		"far too long":         cursor.Prefix + strings.Repeat("A", 1<<20),
		"no UTF-8 in the id":   list.Token(cursor.Key{At: key.At, ID: "\xff"}),
		"a time too late":      list.Token(cursor.Key{At: time.UnixMicro(math.MaxInt64), ID: "a"}),
		"a time too early":     list.Token(cursor.Key{At: time.UnixMicro(math.MinInt64), ID: "a"}),
		"the year 10000":       list.Token(cursor.Key{At: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), ID: "a"}),
		"too long an id":       list.Token(cursor.Key{At: key.At, ID: strings.Repeat("a", cursor.MaxLength)}),
	}
	for i, other := range map[string]cursor.List{
		"another list":       {"inbox", "1", "amy", "2"},
		"another sort":       {"todos", "2", "amy", "2"},
		"another user":       {"todos", "1", "bob", "2"},
		"another filter":     {"todos", "1", "amy", ""},
		"the parts moved":    {"todos", "1", "amy2", ""},
		"one part more":      {"todos", "1", "amy", "2", ""},
		"one part fewer":     {"todos", "1", "amy"},
		"the parts together": {"todos1amy2"},
	} {
		bad[i] = other.Token(key)
	}
	for _, token := range []string{good, spare} {
		for i := range token {
			bad["cut to "+token[:i]] = token[:i]
			for _, change := range []byte{1, 2, 4, 0x20, 0x80} {
				changed := []byte(token)
				changed[i] ^= change
				bad["changed to "+string(changed)] = string(changed)
			}
		}
	}
	for name, token := range bad {
		k, err := list.Key(token)
		if !errors.Is(err, cursor.ErrInvalid) {
			t.Errorf("%s: %+v, %v", name, k, err)
		}
	}
	if f := fault.As(cursor.ErrInvalid); f.Kind != fault.Invalid || f.Public != "cursor is not valid for this list" {
		t.Errorf("the refusal is %+v", f)
	}
}
