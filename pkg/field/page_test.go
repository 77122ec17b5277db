package field_test

import (
	"math"
	"testing"

	"example.com/hub/pkg/field"
)

func TestPage(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for _, tt := range []struct {
		name         string
		number, size *int64
		want         field.Page
		message      string
	}{
		{"defaults", nil, nil, field.Page{Size: 20}, ""},
		{"given", n(3), n(7), field.Page{Number: 3, Size: 7}, ""},
		{"clamped", n(0), n(math.MaxInt64), field.Page{Size: 200}, ""},
		{"far", n(math.MaxInt64), n(1), field.Page{Number: math.MaxInt64, Size: 1}, ""},
		{"negative page", n(-1), nil, field.Page{Number: -1, Size: 20}, "page must be an integer of at least 0"},
		{"no size", nil, n(0), field.Page{}, "size must be an integer of at least 1"},
		{"both", n(-1), n(-1), field.Page{Number: -1, Size: -1}, "page must be an integer of at least 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got field.Page
			msg := message(func(c *field.Checks) { got = c.Page(tt.number, tt.size, 200) })
			if got != tt.want || msg != tt.message {
				t.Errorf("got %+v, %q", got, msg)
			}
		})
	}
}

func TestOffsetNeverOverflows(t *testing.T) {
	for _, tt := range []struct {
		page field.Page
		want int64
	}{
		{field.Page{Number: 0, Size: 20}, 0},
		{field.Page{Number: 5, Size: 20}, 100},
		{field.Page{Number: math.MaxInt64 / 20, Size: 20}, math.MaxInt64 / 20 * 20},
		{field.Page{Number: math.MaxInt64/20 + 1, Size: 20}, math.MaxInt64},
		{field.Page{Number: math.MaxInt64, Size: math.MaxInt64}, math.MaxInt64},
	} {
		if got := tt.page.Offset(); got != tt.want {
			t.Errorf("%+v: got %d, want %d", tt.page, got, tt.want)
		}
	}
}
