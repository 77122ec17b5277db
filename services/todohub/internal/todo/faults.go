package todo

import (
	"strconv"

	"example.com/hub/pkg/fault"
)

// ErrForeign is the refusal to change another client's item.
var ErrForeign error = fault.New(fault.Forbidden, "the item belongs to another client")

// NotFound is the fault of an id that no item has.
func NotFound(id string) error {
	return about(id, fault.Newf(fault.NotFound, "todo %s not found", quote(id)))
}

func alreadyFinished(item Item) error {
	return about(item.ID, fault.Newf(fault.Conflict, "todo %s is already %s", quote(item.ID), item.Status))
}

// about names the item for programs.
func about(id string, f *fault.Fault) *fault.Fault {
	f.Resource = fault.Resource{Type: "todo", Name: id}
	return f
}

// quote makes an id short and printable, since it goes into messages and logs.
func quote(id string) string {
	const most = 64
	runes := 0
	for i := range id {
		if runes == most {
			return strconv.Quote(id[:i] + "…")
		}
		runes++
	}
	return strconv.Quote(id)
}
