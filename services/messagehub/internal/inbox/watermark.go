package inbox

import (
	"math"
	"strconv"
	"strings"
	"time"

	"example.com/hub/pkg/cursor"
)

// Watermark parts all pushes: those below it had ended when it was read, and what they stored was there to be
// seen. A push makes one body, so bodies are parted, whatever their records say of time.
type Watermark struct {
	// At is when it was read, by the clock of its hub.
	At time.Time
	// Body is the last body that was there; all later ones are above.
	Body int64
	// End is the first transaction that had not begun. What it and later ones stored is above, also where the
	// body has a smaller number. It is 0 in a store that pushes one after the other.
	End int64
	// Running are the transactions before End that had not ended, in ascending order. They are above, too.
	Running []int64
}

// maxRunning bounds a token to some 500 bytes.
const maxRunning = 64

// watermarks are the tokens of a user's watermarks.
func watermarks(username string) cursor.List { return cursor.List{"inbox watermark", username} }

// The numbers of a token are written in base 36, with points in between.
const numberBase = 36

// token is the public form. Where too many transactions were running, the watermark is put below the next one.
func (w Watermark) token(username string) string {
	if len(w.Running) > maxRunning {
		w.End, w.Running = w.Running[maxRunning], w.Running[:maxRunning]
	}
	id := strconv.AppendInt(nil, w.Body, numberBase)
	id = strconv.AppendInt(append(id, '.'), w.End, numberBase)
	for _, n := range w.Running {
		id = strconv.AppendInt(append(id, '.'), w.End-n, numberBase)
	}
	return watermarks(username).Token(cursor.Key{At: w.At, ID: string(id)})
}

// parseWatermark reads a token of the user.
func parseWatermark(username, token string) (w Watermark, ok bool) {
	key, err := watermarks(username).Key(token)
	if err != nil {
		return Watermark{}, false
	}
	parts := strings.Split(key.ID, ".")
	if len(parts) < 2 || len(parts) > 2+maxRunning {
		return Watermark{}, false
	}
	numbers := make([]int64, len(parts))
	for i, part := range parts {
		if numbers[i], err = strconv.ParseInt(part, numberBase, 64); err != nil || numbers[i] < 0 {
			return Watermark{}, false
		}
	}
	w = Watermark{At: key.At, Body: numbers[0], End: numbers[1]}
	for _, before := range numbers[2:] {
		w.Running = append(w.Running, w.End-before)
	}
	return w, true
}

// readBatch is how many records a read-all looks at in one statement. A batch holds its locks for some 10 ms.
const readBatch = 1000

// inFront is the place in front of every record, in the default order.
var inFront = Place{At: time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC), Body: math.MaxInt64}
