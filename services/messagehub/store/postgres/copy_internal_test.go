package postgres

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"
	"testing/iotest"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"pgregory.net/rapid"

	"example.com/hub/pkg/field"
	"example.com/hub/services/messagehub/internal/inbox"
)

// driverRecords writes what newRecords does, with the driver's encoders.
func driverRecords(t *rapid.T, message, body int64, occurredAt time.Time, targets []string) []byte {
	out := []byte("PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000")
	types := pgtype.NewMap()
	for i, username := range targets {
		values := []struct {
			oid   uint32
			value any
		}{
			{pgtype.Int8OID, message},
			{pgtype.Int8OID, body},
			{pgtype.TimestamptzOID, occurredAt},
			{pgtype.Int2OID, int16(inbox.Unread)},
			{pgtype.Int4OID, i},
			{pgtype.TextOID, username},
		}
		out = binary.BigEndian.AppendUint16(out, uint16(len(values)))
		for _, v := range values {
			encoded, err := types.Encode(v.oid, pgtype.BinaryFormatCode, v.value, []byte{})
			if err != nil {
				t.Fatal(err)
			}
			out = binary.BigEndian.AppendUint32(out, uint32(len(encoded)))
			out = append(out, encoded...)
		}
	}
	return append(out, 0xff, 0xff)
}

func TestRecordsAreWhatTheDriverWrites(t *testing.T) {
	first := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	last := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()
	rapid.Check(t, func(t *rapid.T) {
		message, body := rapid.Int64().Draw(t, "message"), rapid.Int64().Draw(t, "body")
		seconds, nanoseconds := rapid.Int64Range(first, last).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")
		occurredAt := field.Micro(time.Unix(seconds, nanoseconds))
		targets := rapid.SliceOf(rapid.StringN(0, field.MaxUsername, -1)).Draw(t, "targets")
		got, err := io.ReadAll(newRecords(message, body, occurredAt, targets))
		if err != nil {
			t.Fatal(err)
		}
		if want := driverRecords(t, message, body, occurredAt, targets); !bytes.Equal(got, want) {
			t.Fatalf("got\n%x, want\n%x", got, want)
		}
	})
}

// TestRecordsReadInAnyPieces reads as the driver does not, but may one day.
func TestRecordsReadInAnyPieces(t *testing.T) {
	for _, n := range []int{0, 1, 3, 5000} {
		targets := make([]string, n)
		for i := range targets {
			targets[i] = string(bytes.Repeat([]byte("ü"), i%field.MaxUsername))
		}
		data := func() io.Reader { return newRecords(1, 2, time.Unix(0, 0), targets) }
		want, err := io.ReadAll(data())
		if err != nil {
			t.Fatal(err)
		}
		if err := iotest.TestReader(data(), want); err != nil {
			t.Errorf("%d targets: %v", n, err)
		}
	}
}
