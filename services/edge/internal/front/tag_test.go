package front

import (
	"net/http"
	"testing"
)

func TestIfNoneMatch(t *testing.T) {
	const tag = `"a-1_B"`
	for _, tt := range []struct {
		lines []string
		want  bool
	}{
		{nil, false},
		{[]string{""}, false},
		{[]string{`"a-1_B"`}, true},
		{[]string{`W/"a-1_B"`}, true},
		{[]string{`w/"a-1_B"`}, false},
		{[]string{`"A-1_b"`}, false},
		{[]string{`a-1_B`}, false},
		{[]string{`"a-1_B`}, false},
		{[]string{`*`}, true},
		{[]string{" * \t"}, true},
		{[]string{`"*"`}, false},
		{[]string{`"x", "a-1_B"`}, true},
		{[]string{`"x",W/"a-1_B","y"`}, true},
		{[]string{`"x, \"`, `"a-1_B"`}, true},
		{[]string{`"x"`, `"y"`, `W/"z" ,, "a-1_B"`}, true},
		{[]string{`"x","a-1_B", y`}, true},
		{[]string{`y, "a-1_B"`}, false},
		{[]string{`"x" "a-1_B"`}, true},
		{[]string{`"x,"a-1_B"`}, false},
		{[]string{`"", "y"`}, false},
	} {
		if got := NoneMatches(http.Header{"If-None-Match": tt.lines}, tag); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.lines, got, tt.want)
		}
	}
}

func TestTagsTellBodiesApart(t *testing.T) {
	one, other := Tag([]byte("1")), Tag([]byte("2"))
	if one == other || one != Tag([]byte("1")) || len(one) != 18 {
		t.Errorf("the tags are %s and %s", one, other)
	}
}
