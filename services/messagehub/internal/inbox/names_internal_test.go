package inbox

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTargetsAreSortedAndUnique(t *testing.T) {
	// Few different characters make names that are alike for long, begin each other, or repeat.
	name := rapid.OneOf(
		rapid.StringMatching(`(ab?){0,12}`), rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(name, 0, 400).Draw(t, "names")
		r := PushRequest{TargetUsernames: slices.Clone(names)}
		got := r.targets()
		if want := slices.Compact(slices.Sorted(slices.Values(names))); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		if !slices.Equal(r.TargetUsernames, names) {
			t.Fatalf("the request changed from %q to %q", names, r.TargetUsernames)
		}
	})
}

// BenchmarkTargets takes other lists in turn, since a processor learns the way through one.
func BenchmarkTargets(b *testing.B) {
	for _, n := range []int{1, 100, 10_000, 100_000} {
		for kind, format := range map[string]string{"numbers": "user-%06d", "addresses": "%x.%[1]d@example.com"} {
			b.Run(fmt.Sprint(kind, "/", n), func(b *testing.B) {
				requests := make([]PushRequest, 20)
				for i := range requests {
					for _, place := range rand.New(rand.NewPCG(uint64(i), 0)).Perm(n) {
						requests[i].TargetUsernames = append(requests[i].TargetUsernames, strings.Clone(fmt.Sprintf(format, place)))
					}
				}
				i := 0
				for b.Loop() {
					requests[i%len(requests)].targets()
					i++
				}
			})
		}
	}
}
