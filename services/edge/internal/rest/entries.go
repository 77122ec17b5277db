package rest

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"example.com/hub/pkg/field"
)

// errNoArray becomes a json.SemanticError, which explain puts into words.
var errNoArray = errors.New("no array")

// Batch are the items of a call for many, as they came: a wrong type fails its item alone.
type Batch []jsontext.Value

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (l *Batch) UnmarshalJSONFrom(d *jsontext.Decoder) (err error) {
	*l, err = Entries(d, field.MaxBatch+1, func(d *jsontext.Decoder) (jsontext.Value, error) {
		v, err := d.ReadValue()
		return v.Clone(), err
	})
	return err
}

// Subjects are who sees something. One more than is allowed is enough for the hub to refuse them.
type Subjects []string

const maxSubjects = 100

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (l *Subjects) UnmarshalJSONFrom(d *jsontext.Decoder) (err error) {
	*l, err = Entries(d, maxSubjects+1, func(d *jsontext.Decoder) (s string, err error) {
		err = json.UnmarshalDecode(d, &s)
		return s, err
	})
	return err
}

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
