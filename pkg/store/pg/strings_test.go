package pg_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/store/pg"
)

func TestStringsTakeTheirColumnsAndLeaveTheOthers(t *testing.T) {
	var n int
	var texts [3]string
	var s pg.Strings
	into := s.Take([]any{&texts[0], &n, &texts[1], &texts[2]})
	if diff := cmp.Diff([]any{nil, &n, nil, nil}, into); diff != "" {
		t.Errorf("what is scanned (-want +got):\n%s", diff)
	}
	for _, tt := range []struct {
		values []string
		want   [3]string
	}{
		{[]string{"a", "1", "bc", "d"}, [3]string{"a", "bc", "d"}},
		{[]string{"", "1", "e", "h"}, [3]string{"", "e", "h"}},
		{[]string{"f", "1", "g"}, [3]string{"f", "g", "h"}},
	} {
		row := make([][]byte, len(tt.values))
		for i, value := range tt.values {
			if value != "" { // as null
				row[i] = []byte(value)
			}
		}
		s.Share(row)
		clear(row[0]) // the driver reads its next row to where this one was
		if texts != tt.want {
			t.Errorf("of %q are %q, want %q", tt.values, texts, tt.want)
		}
	}
}
