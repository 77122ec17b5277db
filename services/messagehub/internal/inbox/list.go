package inbox

import (
	"context"
	"errors"

	"example.com/hub/pkg/fault"
)

// Page is a part of a list; past the end it is empty.
type Page struct {
	Records []Record
	// Number is the page that was asked for, from 0.
	Number int64
	// Size is the page size that was used.
	Size int64
	// Total is the exact number of records that match; it is not counted for a request with a cursor.
	Total int64
	// Next is the cursor of the page behind this one, of a request with a cursor; empty at the end.
	Next string
	// Watermark is that of the user's inbox when the page was read, of a request with a cursor; empty for
	// all users.
	Watermark string
}

// errSlowList tells the end of a list's own time from the end of its caller's.
var errSlowList = errors.New("list timeout")

// List answers a page of records. Faults: Invalid; Unavailable when it took longer than the rules allow.
func (s *Service) List(ctx context.Context, r ListRequest) (Page, error) {
	read := s.page
	if r.Cursor != nil {
		read = s.walk
	}
	var page Page
	err := s.timed(ctx, func(ctx context.Context) (err error) {
		page, err = read(ctx, r)
		return err
	})
	return page, err
}

// timed ends a list that takes longer than the rules allow.
func (s *Service) timed(ctx context.Context, read func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.rules.ListTimeout, errSlowList)
	defer cancel()
	err := read(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errSlowList) {
		return fault.Wrap(fault.Unavailable, "the list took too long", err)
	}
	return err
}

func (s *Service) page(ctx context.Context, r ListRequest) (Page, error) {
	p, err := r.params(s.rules)
	if err != nil {
		return Page{}, err
	}
	result, err := s.store.List(ctx, p)
	if err != nil {
		return Page{}, err
	}
	return Page{Records: result.Records, Number: p.Page.Number, Size: p.Page.Size, Total: result.Total}, nil
}
