package message

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"example.com/hub/pkg/field"
)

// targetList and actionList are the lists of a push.
type (
	targetList []string
	// An entry of actionList is nil for null.
	actionList []*ActionBody
)

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (l *targetList) UnmarshalJSONFrom(d *jsontext.Decoder) (err error) {
	*l, err = entries(d, field.MaxTargets+1, text)
	return err
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (l *actionList) UnmarshalJSONFrom(d *jsontext.Decoder) (err error) {
	*l, err = entries(d, field.MaxActions+1, unmarshal[*ActionBody])
	return err
}

// text reads a string like unmarshal, in a fifth of the time; a push has thousands.
func text(d *jsontext.Decoder) (string, error) {
	if d.PeekKind() != jsontext.KindString {
		return unmarshal[string](d)
	}
	token, err := d.ReadToken()
	if err != nil {
		return "", err
	}
	return token.String(), nil
}

func unmarshal[T any](d *jsontext.Decoder) (value T, err error) {
	err = json.UnmarshalDecode(d, &value)
	return value, err
}

// errNoArray becomes a json.SemanticError, which rest puts into words.
var errNoArray = errors.New("no array")

// entries decodes the first entries of an array, or null. The others are only checked as JSON: the hub
// refuses the list for their number, and an empty object takes 2 bytes of a body and 30 times that in
// memory. The list is nil for null alone.
func entries[T any](d *jsontext.Decoder, most int, read func(*jsontext.Decoder) (T, error)) ([]T, error) {
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
