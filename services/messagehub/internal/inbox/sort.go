package inbox

import "strings"

// SortField names a field that lists can be ordered by. The numbers are those of the proto; 0 is none.
type SortField int32

// The contract promises a page that is flat in the number of records for SortOccurredAt of one user only.
// Text is ordered byte by byte.
const (
	SortOccurredAt SortField = iota + 1
	SortCreateTime
	SortModifyTime
	// SortReadAt puts records that were not read last, in both directions.
	SortReadAt
	SortCategory
	SortSourceAppID
	SortID
)

// sortFields are the contract's words, in the order of the constants.
var sortFields = [...]string{
	"occurredAt", "createTime", "modifyTime", "readAt", "category", "sourceAppId", "id",
}

// String gives the contract's word.
func (f SortField) String() string {
	if !f.known() {
		return "unknown"
	}
	return sortFields[f-1]
}

func (f SortField) known() bool { return f >= SortOccurredAt && f <= SortID }

// SortFields gives all sort fields in the contract's order.
func SortFields() []SortField {
	all := make([]SortField, 0, len(sortFields))
	for f := SortOccurredAt; f.known(); f++ {
		all = append(all, f)
	}
	return all
}

// CursorSortFields gives the fields by which a list can be walked with a cursor. They never change in a
// record.
func CursorSortFields() []SortField { return []SortField{SortOccurredAt, SortCreateTime, SortID} }

// names lists fields in a message.
func names(fields []SortField) string {
	words := make([]string, len(fields))
	for i, f := range fields {
		words[i] = f.String()
	}
	return strings.Join(words, ", ")
}

// Sort orders a list. The record's id breaks ties in the same direction.
type Sort struct {
	Field SortField
	// Descending puts the largest or latest first.
	Descending bool
}

// DefaultSort is the order of a list that names none (contract, Paging).
var DefaultSort = Sort{Field: SortOccurredAt, Descending: true}
