package todo

import (
	"fmt"
	"strings"
)

// SortField names a field that lists can be ordered by.
type SortField int32

// The sort fields. Text is ordered byte by byte.
const (
	SortModifyTime SortField = iota + 1
	SortCreateTime
	// SortDueAt puts items without a due time last, in both directions.
	SortDueAt
	// SortClearedAt puts items that were not cleared last, in both directions.
	SortClearedAt
	SortTitle
	SortCategory
	SortSourceSystem
	SortID
)

// String is the contract's name of the field.
func (f SortField) String() string {
	switch f {
	case SortModifyTime:
		return "modifyTime"
	case SortCreateTime:
		return "createTime"
	case SortDueAt:
		return "dueAt"
	case SortClearedAt:
		return "clearedAt"
	case SortTitle:
		return "title"
	case SortCategory:
		return "category"
	case SortSourceSystem:
		return "sourceSystem"
	case SortID:
		return "id"
	default:
		return fmt.Sprintf("SortField(%d)", int32(f))
	}
}

func (f SortField) known() bool { return f >= SortModifyTime && f <= SortID }

// SortFields gives all sort fields in the contract's order.
func SortFields() []SortField {
	var all []SortField
	for f := SortModifyTime; f.known(); f++ {
		all = append(all, f)
	}
	return all
}

func sortFieldNames() string {
	var names []string
	for _, f := range SortFields() {
		names = append(names, f.String())
	}
	return strings.Join(names, ", ")
}

// Sort is the order of a list. The item's id breaks ties in the same direction.
type Sort struct {
	Field SortField
	// Descending puts the largest, or latest, first.
	Descending bool
}

// Query selects a page of items. The zero value is the first page of everybody's OPEN items of type
// HANDLE, last changed first.
type Query struct {
	// AssigneeUsername is nil for all users.
	AssigneeUsername *string
	// Status is 0 for Open.
	Status Status
	// Type is 0 for Handle.
	Type Type
	// Page counts from 0; nil is the first page.
	Page *int64
	// Size is the largest number of items; nil is field.DefaultPageSize.
	Size *int64
	// Sort is nil for the latest ModifyTime first.
	Sort *Sort
}

// Page is a part of a list; past the end it is empty.
type Page struct {
	Items []Item
	// Number is the page that was asked for, from 0.
	Number int64
	// Size is the page size that was used.
	Size int64
	// Total is the exact number of items that match.
	Total int64
}
