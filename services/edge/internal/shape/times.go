package shape

import (
	"math"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// badInstant is a Timestamp that is not valid. A text that is no instant travels as this one, so that
// the hub reports it in its turn among the other fields.
func badInstant() *timestamppb.Timestamp {
	return &timestamppb.Timestamp{Seconds: math.MinInt64}
}

// ParseInstant reads an instant (RFC 3339 section 5.6), cut to microseconds; blank text is no
// instant. Years outside 1 to 9999 give a Timestamp that is not valid.
func ParseInstant(text string) *timestamppb.Timestamp {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	// RFC 3339 allows t and z in lower case; no other letter can stand in an instant.
	text = strings.ToUpper(text)
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || !isRFC3339(text) {
		return badInstant()
	}
	return timestamppb.New(t.Truncate(time.Microsecond))
}

// isRFC3339 refuses what time.Parse takes and the grammar does not: an hour of one digit, a decimal
// comma, and offsets of a day or with more than 59 minutes.
func isRFC3339(parsed string) bool {
	if parsed[len("2030-01-02T03")] != ':' || strings.Contains(parsed, ",") {
		return false
	}
	if strings.HasSuffix(parsed, "Z") {
		return true
	}
	offset := parsed[len(parsed)-len("02:00"):]
	return offset[:2] < "24" && offset[3:] < "60"
}
