package todo

import (
	"context"
	"errors"

	"example.com/hub/pkg/fault"
)

// Page is a part of a list; past the end it is empty.
type Page struct {
	Items []Item
	// Number is the page that was asked for, from 0.
	Number int64
	// Size is the page size that was used.
	Size int64
	// Total is the exact number of items that match; it is not counted for a request with a cursor.
	Total int64
	// Next is the cursor of the page behind this one, of a request with a cursor; empty at the end.
	Next string
}

// errSlowList tells the end of a list's own time from the end of its caller's.
var errSlowList = errors.New("list timeout")

// List answers a page of items. Faults: Invalid; Unavailable when it took longer than the rules allow.
func (s *Service) List(ctx context.Context, r ListRequest) (Page, error) {
	read := s.page
	if r.Cursor != nil {
		read = s.walk
	}
	return timed(ctx, s.rules, func(ctx context.Context) (Page, error) { return read(ctx, r) })
}

// timed reads as long as the rules allow a list.
func timed[T any](ctx context.Context, rules Rules, read func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, rules.ListTimeout, errSlowList)
	defer cancel()
	result, err := read(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errSlowList) {
		err = fault.Wrap(fault.Unavailable, "the list took too long", err)
	}
	return result, err
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
	return Page{Items: result.Items, Number: p.Page.Number, Size: p.Page.Size, Total: result.Total}, nil
}
