package field

import "math"

// DefaultPageSize is the number of entries of a page that names no size (contract, Limits).
const DefaultPageSize = 20

// Page selects a part of a list.
type Page struct {
	// Number counts pages from 0.
	Number int64
	// Size is the number of entries per page, from 1.
	Size int64
}

// Offset is the number of entries before the page; it stops at the largest integer instead of
// overflowing, which is past the end of any list.
func (p Page) Offset() int64 {
	if p.Number > math.MaxInt64/p.Size {
		return math.MaxInt64
	}
	return p.Number * p.Size
}

// Page checks the paging parameters and fills in the contract's defaults. A size above maxSize is
// cut to maxSize.
func (c *Checks) Page(number, size *int64, maxSize int64) Page {
	p := Page{Number: 0, Size: DefaultPageSize}
	if number != nil {
		p.Number = *number
	}
	if size != nil {
		p.Size = *size
	}
	if p.Number < 0 {
		c.Fail("page", "must be an integer of at least 0")
	}
	if p.Size < 1 {
		c.Fail("size", "must be an integer of at least 1")
	}
	p.Size = min(p.Size, maxSize)
	return p
}
