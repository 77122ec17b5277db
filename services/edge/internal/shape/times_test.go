package shape

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	"pgregory.net/rapid"
)

func TestParseInstant(t *testing.T) {
	tests := map[string]string{
		"2030-01-02T03:04:05Z":                 "2030-01-02T03:04:05Z",
		"2030-01-02t03:04:05z":                 "2030-01-02T03:04:05Z",
		"2030-01-02T03:04:05.1Z":               "2030-01-02T03:04:05.1Z",
		"2030-01-02T03:04:05.123456999999999Z": "2030-01-02T03:04:05.123456Z",
		"1930-01-02T03:04:05.9999999Z":         "1930-01-02T03:04:05.999999Z",
		"2030-01-02T03:04:05+02:00":            "2030-01-02T01:04:05Z",
		"2030-01-02T03:04:05-23:59":            "2030-01-03T03:03:05Z",
		"2030-01-02T03:04:05-00:00":            "2030-01-02T03:04:05Z",
		"2028-02-29T00:00:00Z":                 "2028-02-29T00:00:00Z",
		"0001-01-01T00:00:00Z":                 "0001-01-01T00:00:00Z",
		"9999-12-31T23:59:59.9999999Z":         "9999-12-31T23:59:59.999999Z",
	}
	for text, want := range tests {
		ts := ParseInstant(text)
		if !ts.IsValid() || ts.AsTime().Format(time.RFC3339Nano) != want {
			t.Errorf("%q is %v, want %s", text, ts, want)
		}
	}
}

func TestParseInstantRefuses(t *testing.T) {
	for _, text := range []string{
		"x", "0", "1700000000", "2030-01-02", "03:04:05Z", "2030-01-02T03:04:05", "2030-01-02 03:04:05Z", "2030-01-02T03:04Z",
		"2030-01-02T3:04:05Z", "2030-01-02T03:04:05,5Z", "2030-01-02T03:04:05.Z", "2030-1-02T03:04:05Z", "+2030-01-02T03:04:05Z",
		"2030-02-29T00:00:00Z", "2030-13-01T00:00:00Z", "2030-00-01T00:00:00Z", "2030-04-31T00:00:00Z", "2030-01-02T24:00:00Z",
		"2030-01-02T03:60:05Z", "2016-12-31T23:59:60Z", "2030-01-02T03:04:05+24:00", "2030-01-02T03:04:05+01:60",
		"2030-01-02T03:04:05+0200", "2030-01-02T03:04:05+02", "2030-01-02T03:04:05 Z", " 2030-01-02T03:04:05Z", "2030-01-02T03:04:05Z ",
		"2030-01-02T03:04:05ZZ", "2030-01-02T03:04:05UTC", "10000-01-01T00:00:00Z", "0000-12-31T23:59:59Z",
		"0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "２030-01-02T03:04:05Z", "2030-01-02T03:04:05\x00Z",
	} {
		if ts := ParseInstant(text); ts == nil || ts.IsValid() {
			t.Errorf("%q is taken as %v", text, ts)
		}
	}
	for _, text := range []string{"", " ", "\t\n"} {
		if ts := ParseInstant(text); ts != nil {
			t.Errorf("%q is taken as %v", text, ts)
		}
	}
}

func TestInstantsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ts := &timestamppb.Timestamp{
			Seconds: rapid.Int64Range(-62135596800, 253402300799).Draw(t, "seconds"),
			Nanos:   rapid.OneOf(rapid.Int32Range(0, 999999999), rapid.Just[int32](0), rapid.Just[int32](120000999)).Draw(t, "nanos"),
		}
		shown := string(appendInstant(nil, ts.AsTime()))
		text := shown[1 : len(shown)-1]
		if got, want := ParseInstant(text).AsTime(), ts.AsTime().Truncate(time.Microsecond); !got.Equal(want) {
			t.Fatalf("%s became %s and then %s", want, text, got)
		}
	})
}
