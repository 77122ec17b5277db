package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// decodeExact reads one JSON value into a T that says everything about its shape: an object has the
// keys of the struct and no others, each once and spelled the same, and only pointers may be null.
// encoding/json alone forgives all of that.
func decodeExact[T any](data []byte) (T, error) {
	var value T
	if err := exactShape(data, reflect.TypeFor[T](), "$"); err != nil {
		return value, err
	}
	if err := json.Unmarshal(data, &value); err != nil {
		return value, fmt.Errorf("decode: %w", err)
	}
	return value, nil
}

// exactShape compares the keys and nulls of a value with a Go type; path says where it stands.
func exactShape(data []byte, want reflect.Type, path string) error {
	null := bytes.Equal(bytes.TrimSpace(data), []byte("null"))
	switch {
	case want == reflect.TypeFor[json.RawMessage]():
		return nil
	case want.Kind() == reflect.Pointer:
		if null {
			return nil
		}
		return exactShape(data, want.Elem(), path)
	case null:
		return fmt.Errorf("%s is null", path)
	case want.Kind() == reflect.Struct:
		return exactObject(data, want, path)
	case want.Kind() == reflect.Slice:
		var entries []json.RawMessage
		if err := json.Unmarshal(data, &entries); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for i, entry := range entries {
			if err := exactShape(entry, want.Elem(), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func exactObject(data []byte, want reflect.Type, path string) error {
	entries, err := objectEntries(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var missing []string
	for _, field := range reflect.VisibleFields(want) {
		if field.Anonymous {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		entry, ok := entries[name]
		if !ok {
			missing = append(missing, name)
			continue
		}
		delete(entries, name)
		if err := exactShape(entry, field.Type, path+"."+name); err != nil {
			return err
		}
	}
	if len(missing) > 0 || len(entries) > 0 {
		return fmt.Errorf("%s lacks %q and has unknown %q", path, missing, slices.Sorted(maps.Keys(entries)))
	}
	return nil
}

// objectEntries splits a JSON object; a repeated key is an error.
func objectEntries(data []byte) (map[string]json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, fmt.Errorf("not an object: %.60s", data)
	}
	entries := map[string]json.RawMessage{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("read a key: %w", err)
		}
		name, ok := token.(string)
		if !ok {
			return nil, fmt.Errorf("the key %v is not a string", token)
		}
		if _, repeated := entries[name]; repeated {
			return nil, fmt.Errorf("the key %q is repeated", name)
		}
		var entry json.RawMessage
		if err := decoder.Decode(&entry); err != nil {
			return nil, fmt.Errorf("read the value of %q: %w", name, err)
		}
		entries[name] = entry
	}
	if _, err := decoder.Token(); err != nil {
		return nil, fmt.Errorf("read the end: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the object")
	}
	return entries, nil
}
