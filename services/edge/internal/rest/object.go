package rest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var errNoObject = errors.New("the request body must be a JSON object")

// Body decodes a request body, which is exactly one JSON object. Its errors are for the caller.
//
// It is strict where leniency would hide a caller's mistake: types and names are exact, a name stands
// once, the text is valid UTF-8, and there is one object and nothing after it. Unknown names are
// ignored, so that callers may send more; null is the same as a missing field.
func Body[T any](r *Request) (*T, error) {
	if len(r.body) == 0 {
		return nil, errNoObject
	}
	// A pointer tells null, which sets it to nil, from an object.
	var in *T
	if err := json.Unmarshal(r.body, &in); err != nil {
		return nil, explain(err)
	}
	if in == nil {
		return nil, errNoObject
	}
	return in, nil
}

var errNoItem = errors.New("the item must be a JSON object")

// Decode decodes an object inside a body that was read. Its errors are for the caller.
func Decode[T any](raw jsontext.Value) (*T, error) {
	var in *T
	var semantic *json.SemanticError
	err := json.Unmarshal(raw, &in)
	switch {
	case err == nil && in == nil, errors.As(err, &semantic) && semantic.JSONPointer == "":
		return nil, errNoItem
	case err != nil:
		return nil, explain(err)
	}
	return in, nil
}

// explain says what is wrong with a body in words that hold nothing of the body itself.
func explain(err error) error {
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &syntax) && errors.Is(syntax.Err, jsontext.ErrDuplicateName):
		return fmt.Errorf("the request body is not valid JSON: a name stands twice at byte %d", syntax.ByteOffset)
	case errors.As(err, &syntax):
		return fmt.Errorf("the request body is not valid JSON at byte %d", syntax.ByteOffset)
	case errors.As(err, &semantic) && semantic.JSONPointer == "":
		return errNoObject
	case errors.As(err, &semantic):
		return fmt.Errorf("%s must be %s", fieldName(semantic.JSONPointer), jsonType(semantic.GoType))
	default:
		return errors.New("the request body is not valid JSON")
	}
}

// fieldName writes a pointer to a known field as callers do: /actions/0/url is actions[0].url.
func fieldName(p jsontext.Pointer) string {
	var name strings.Builder
	for token := range p.Tokens() {
		switch {
		case token[0] >= '0' && token[0] <= '9':
			name.WriteString("[" + token + "]")
		case name.Len() > 0:
			name.WriteString("." + token)
		default:
			name.WriteString(token)
		}
	}
	return name.String()
}

// jsonType names the JSON type that a field of type t takes.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "an array"
	case reflect.Int64:
		return "an integer"
	case reflect.Bool:
		return "true or false"
	default:
		return "an object"
	}
}
