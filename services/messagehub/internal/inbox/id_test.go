package inbox_test

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/hub/services/messagehub/internal/inbox"
)

func TestRecordID(t *testing.T) {
	for _, tt := range []struct {
		body, ordinal int64
		want          string
	}{
		{0, 0, "00"},
		{1, 0, "110"},
		{1, 1, "1111"},
		{11, 1, "1b11"},
		{35, 35, "1z1z"},
		{36, 0, "2100"},
		{71, 5, "21z15"},
		{1_000_000, 9_999, "4lfls37pr"},
		{math.MaxInt64, math.MaxInt64, "d1y2p0ij32e8e7d1y2p0ij32e8e7"},
	} {
		if got := inbox.RecordID(tt.body, tt.ordinal); got != tt.want {
			t.Errorf("RecordID(%d, %d) = %q, want %q", tt.body, tt.ordinal, got, tt.want)
		}
	}
}

func TestRecordIDsCompareAsTheirPairs(t *testing.T) {
	plain := regexp.MustCompile(`^[0-9a-z]{2,28}$`)
	// Small numbers make equal parts and neighbours likely.
	number := rapid.OneOf(rapid.Int64Range(0, 40), rapid.Int64Range(1290, 1300), rapid.Int64Range(0, math.MaxInt64))
	rapid.Check(t, func(t *rapid.T) {
		a := [2]int64{number.Draw(t, "body a"), number.Draw(t, "ordinal a")}
		b := [2]int64{number.Draw(t, "body b"), number.Draw(t, "ordinal b")}
		idA, idB := inbox.RecordID(a[0], a[1]), inbox.RecordID(b[0], b[1])
		if !plain.MatchString(idA) {
			t.Fatalf("id %q of %v is not of digits and small letters", idA, a)
		}
		want := 0
		switch {
		case a[0] < b[0] || a[0] == b[0] && a[1] < b[1]:
			want = -1
		case a != b:
			want = 1
		}
		if got := strings.Compare(idA, idB); got != want {
			t.Fatalf("ids %q of %v and %q of %v compare as %d, want %d", idA, a, idB, b, got, want)
		}
	})
}

func TestCreatedForGivesEachTargetItsRecordID(t *testing.T) {
	for _, n := range []int{0, 1, 37, 2000} {
		targets := make([]string, n)
		for i := range targets {
			targets[i] = fmt.Sprint("user ", i)
		}
		for _, body := range []int64{0, 71, math.MaxInt64} {
			created := inbox.CreatedFor(targets, body)
			if len(created) != n {
				t.Fatalf("%d records for %d targets", len(created), n)
			}
			for i, got := range created {
				if want := (inbox.Created{Username: targets[i], ID: inbox.RecordID(body, int64(i))}); got != want {
					t.Fatalf("target %d of body %d has %+v, want %+v", i, body, got, want)
				}
			}
		}
	}
}
