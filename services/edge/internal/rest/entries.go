package rest

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// errNoArray becomes a json.SemanticError, which explain puts into words.
var errNoArray = errors.New("no array")

// Entries decodes the first entries of an array, or null. The others are only checked as JSON: the hub
// refuses the list for their number, and an empty object takes 2 bytes of a body and 30 times that in
// memory. The list is nil for null alone.
func Entries[T any](d *jsontext.Decoder, most int, read func(*jsontext.Decoder) (T, error)) ([]T, error) {
	switch d.PeekKind() {
	case jsontext.KindNull:
		return nil, d.SkipValue()
	case jsontext.KindBeginArray, jsontext.KindInvalid:
	default:
		return nil, errNoArray
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	list := []T{}
	for d.PeekKind() != jsontext.KindEndArray {
		if len(list) == most {
			if err := d.SkipValue(); err != nil {
				return nil, err
			}
			continue
		}
		entry, err := read(d)
		if err != nil {
			return nil, err
		}
		list = append(list, entry)
	}
	_, err := d.ReadToken()
	return list, err
}
