package inbox

import "slices"

// fewNames is how many names a comparison sort orders faster.
const fewNames = 64

// sortNames orders names byte by byte. Names that are alike up to depth bytes are dealt into buckets by
// the next one, and each bucket is sorted in turn; spare has room for all names. Measured with 10,000
// names in no order, that takes half the time of a comparison sort, which was a quarter of what this
// process does for a push.
func sortNames(names, spare []string, depth int) {
	if len(names) < fewNames {
		slices.Sort(names)
		return
	}
	// Behind each bucket's number stands how many names it has, then where it starts, then where it ends.
	var buckets [258]int
	for _, name := range names {
		buckets[bucketOf(name, depth)+1]++
	}
	if first := bucketOf(names[0], depth); buckets[first+1] == len(names) {
		if first > 0 {
			sortNames(names, spare, depth+1)
		}
		return
	}
	for i := range 257 {
		buckets[i+1] += buckets[i]
	}
	for _, name := range names {
		end := &buckets[bucketOf(name, depth)]
		spare[*end] = name
		*end++
	}
	copy(names, spare)
	// The names of the first bucket are alike.
	for i := range 256 {
		sortNames(names[buckets[i]:buckets[i+1]], spare, depth+1)
	}
}

// bucketOf is 0 for a name that ends at depth, else 1 more than its byte there.
func bucketOf(name string, depth int) int {
	if depth >= len(name) {
		return 0
	}
	return int(name[depth]) + 1
}
