package todo

import "strings"

// SortField names a field that lists can be ordered by. The numbers are those of the proto; 0 is none.
type SortField int32

// The contract promises a page that is flat in the number of items for SortModifyTime of one user only.
// Text is ordered byte by byte.
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

// sortFields are the contract's words, in the order of the constants.
var sortFields = [...]string{
	"modifyTime", "createTime", "dueAt", "clearedAt", "title", "category", "sourceSystem", "id",
}

// String gives the contract's word.
func (f SortField) String() string {
	if !f.known() {
		return "unknown"
	}
	return sortFields[f-1]
}

func (f SortField) known() bool { return f >= SortModifyTime && f <= SortID }

// SortFields gives all sort fields in the contract's order.
func SortFields() []SortField {
	all := make([]SortField, 0, len(sortFields))
	for f := SortModifyTime; f.known(); f++ {
		all = append(all, f)
	}
	return all
}

// CursorSortFields gives the fields by which a list can be walked with a cursor. All but SortModifyTime
// never change in an item.
func CursorSortFields() []SortField { return []SortField{SortModifyTime, SortCreateTime, SortID} }

// names lists fields in a message.
func names(fields []SortField) string {
	words := make([]string, len(fields))
	for i, f := range fields {
		words[i] = f.String()
	}
	return strings.Join(words, ", ")
}

// Sort orders a list. The item's id breaks ties in the same direction.
type Sort struct {
	Field SortField
	// Descending puts the largest or latest first.
	Descending bool
}

// DefaultSort is the order of a list that names none (contract, Paging).
var DefaultSort = Sort{Field: SortModifyTime, Descending: true}
